import { decodeCount, tokensMax } from './token-count.ts';
import { objectOf } from './wire-value.ts';

/** More kinds of tools than any provider has. */
const toolsMax = 16;

/** How often the provider ran each of its own tools: `{"web_search_requests": 2}`, with or without the suffix. */
export function decodeToolUses(
  value: unknown,
  onAnomaly: (what: string) => void,
): Readonly<Record<string, number>> | undefined {
  const wire = objectOf(value);
  if (!wire) return undefined;
  const uses: Record<string, number> = {};
  for (const [field, entry] of Object.entries(wire).slice(0, toolsMax)) {
    const count = decodeCount(entry, tokensMax, () => onAnomaly('usage.server_tool_use'));
    if (count !== undefined && count > 0) uses[field.replace(ending, '')] = count;
  }
  return uses;
}

/** Clients of the messages format expect these two tools, so they are included even with zero uses. */
export function encodeToolUses(uses: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const counts = { web_search: 0, web_fetch: 0, ...uses };
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${name}_requests`, count]));
}

const ending = /_requests$/;
