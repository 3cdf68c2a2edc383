import type { ProviderTool } from '../../core/chat-request.ts';
import { type FieldPath, fieldName } from '../invalid-request.ts';
import type { WireObject } from '../wire-value.ts';
import type { DeclaredTools } from './declared-tools.ts';

/** How often a provider may run its own tools for one answer where the client does not say. */
export const usesUnlessSaid = 20;

/**
 * The tools of a body that its provider would run. All but those that are forced are optional: clients declare them
 * whether or not anybody here can run them.
 */
export function responsesProviderTools(
  body: WireObject,
  declared: DeclaredTools,
  forced: ReadonlySet<string>,
): readonly ProviderTool[] {
  const { max_tool_calls: calls } = body;
  const usesMax = Number.isSafeInteger(calls) && Number(calls) >= 0 ? Number(calls) : usesUnlessSaid;
  return hostedTools(declared).map(({ name, path }) => ({
    name,
    usesMax,
    field: toolField(path),
    ...(!forced.has(name) && { isOptional: true as const }),
  }));
}

/** The tools that somebody else would have to run, by the names their prices are listed under. */
export function hostedTools({
  leftOut,
}: DeclaredTools): readonly { readonly name: string; readonly path: FieldPath }[] {
  return leftOut.filter(({ path }) => path.length === 2).map(({ path, type }) => ({ path, name: toolOfType(type) }));
}

/** The name of the price of tools of this type. */
export function toolOfType(type: string): string {
  return type.replace(version, '');
}

/** Where a tool stands, in words. */
export function toolField(path: FieldPath): string {
  return fieldName(path);
}

/** Types end in the day of their version, some before that in a word about it. */
const version = /(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;

/** The tool whose use an item tells of, by the name its price is listed under; nothing for items of other kinds. */
export function toolOfItem(type: unknown): string | undefined {
  return items.get(type);
}

const items: ReadonlyMap<unknown, string> = new Map(
  ['web_search', 'file_search', 'code_interpreter', 'image_generation', 'mcp', 'shell', 'local_shell'].map((tool) => [
    `${tool}_call`,
    tool,
  ]),
);
