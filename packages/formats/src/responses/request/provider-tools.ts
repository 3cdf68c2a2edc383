import type { ProviderTool } from '../../chat/chat-request.ts';
import { type FieldPath, fieldName } from '../../invalid-request.ts';
import { integerFrom, type WireObject } from '../../wire-value.ts';
import type { DeclaredTools } from './declared-tools.ts';

/** Maximum uses of hosted tools in one answer, if the client does not set a limit. */
export const defaultMaxUses = 20;

/** All except forced ones are optional: clients declare them whether or not a provider here can run them. */
export function responsesProviderTools(
  body: WireObject,
  declared: DeclaredTools,
  forced: ReadonlySet<string>,
): readonly ProviderTool[] {
  const usesMax = integerFrom(0, body.max_tool_calls) ?? defaultMaxUses;
  return hostedTools(declared).map(({ name, path }) => ({
    name,
    usesMax,
    field: fieldName(path),
    ...(!forced.has(name) && { isOptional: true as const }),
  }));
}

/** The tools that the provider would run, wherever they are declared, by the names of their prices. */
export function hostedTools({
  leftOut,
}: DeclaredTools): readonly { readonly name: string; readonly path: FieldPath }[] {
  return leftOut.map(({ path, type }) => ({ path, name: toolOfType(type) }));
}

export function toolOfType(type: string): string {
  return type.replace(version, '');
}

/** Types end in the date of their version, some with `_preview` before it. */
const version = /(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;

/** Returns the hosted tool whose use an item reports, by the name of its price. Undefined for other items. */
export function toolOfItem(type: unknown): string | undefined {
  return items.get(type);
}

const items: ReadonlyMap<unknown, string> = new Map(
  ['web_search', 'file_search', 'code_interpreter', 'image_generation', 'mcp', 'shell', 'local_shell'].map((tool) => [
    `${tool}_call`,
    tool,
  ]),
);
