import type { ProviderTool } from '../../core/chat-request.ts';
import { type FieldPath, fieldName } from '../invalid-request.ts';
import type { WireObject } from '../wire-value.ts';
import type { DeclaredTools } from './declared-tools.ts';

/** How often a provider may run its own tools for one answer where the client does not say. */
export const usesUnlessSaid = 20;

/**
 * The tools of a body that its provider would run. All of them are optional: clients declare them whether or not anybody
 * here can run them.
 */
export function responsesProviderTools(body: WireObject, { leftOut }: DeclaredTools): readonly ProviderTool[] {
  const { max_tool_calls: calls } = body;
  const usesMax = Number.isSafeInteger(calls) && Number(calls) >= 0 ? Number(calls) : usesUnlessSaid;
  return leftOut
    .filter(({ path }) => path.length === 2)
    .map(({ path, type }) => ({ name: type.replace(version, ''), usesMax, field: toolField(path), isOptional: true }));
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
