import { objectOf } from './wire-value.ts';

/** More tokens than any answer has. A larger count is a bug of the provider. */
export const tokensMax = 2 ** 31 - 1;

/** An integer from 0 to `limit`, or `undefined` if there is none. Corrects invalid counts and calls `onAnomaly`. */
export function decodeCount(value: unknown, limit: number, onAnomaly: () => void): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limit) return value;
  onAnomaly();
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
  return Math.min(limit, Math.max(0, Math.trunc(number)));
}

export type CountReader = (name: string, value: unknown, limit?: number) => number | undefined;

export function countReader(onAnomaly: (what: string) => void): CountReader {
  return (name, value, limit = tokensMax) => decodeCount(value, limit, () => onAnomaly(`usage.${name}`));
}

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
