import type { Usage } from '../../core/usage.ts';
import { decodeCount, tokensMax } from '../token-count.ts';
import { decodeToolUses } from '../tool-uses.ts';
import { objectOf, type WireObject } from '../wire-value.ts';

/**
 * Reads and corrects the counts of a finished answer: `begun` are the first counts, `ended` the last ones, which
 * override them. Returns `undefined` if the total usage cannot be derived.
 */
export function decodeUsage(
  begun: WireObject | undefined,
  ended: WireObject | undefined,
  onAnomaly: (what: string) => void,
): Usage | undefined {
  if (!begun && !ended) return undefined;
  // The output count in `message_start` is only a placeholder.
  const usage = ended && decodeCounts(merged({ ...begun, output_tokens: undefined }, ended), onAnomaly);
  if (!usage) onAnomaly('usage without counts');
  return usage;
}

/** The counts at the start of an answer, when the input is counted. `undefined` if it is not. */
export function decodeUsageSoFar(begun: WireObject | undefined): Usage | undefined {
  return begun && decodeCounts({ ...begun, output_tokens: begun.output_tokens ?? 0 }, () => {});
}

/** Counts are cumulative: for each field, the later value overrides the earlier one, if there is one. */
function merged(begun: WireObject, ended: WireObject): WireObject {
  const all = { ...begun, ...said(ended) };
  // Some providers send zeros at the end for counts that they sent at the start.
  const isInputAgain = inputFields.some((name) => (ended[name] ?? 0) !== 0);
  if (!isInputAgain) for (const name of inputFields) all[name] = begun[name] ?? ended[name];
  const parts = objectOf(begun.cache_creation);
  return { ...all, cache_creation: parts ? { ...parts, ...said(objectOf(ended.cache_creation)) } : all.cache_creation };
}

function said(wire: WireObject = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== null && value !== undefined));
}

const inputFields = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

function decodeCounts(wire: WireObject, onAnomaly: (what: string) => void): Usage | undefined {
  const read = (name: string, value: unknown, limit: number): number | undefined =>
    decodeCount(value, limit, () => onAnomaly(`usage.${name}`));
  const fresh = read('input_tokens', wire.input_tokens, tokensMax);
  const completionTokens = read('output_tokens', wire.output_tokens, tokensMax);
  if (fresh === undefined || completionTokens === undefined) return undefined;
  const cachedTokens = read('cache_read_input_tokens', wire.cache_read_input_tokens, tokensMax - fresh);
  const writes = decodeCacheWrites(wire, tokensMax - fresh - (cachedTokens ?? 0), onAnomaly);
  // This format counts cached input separately; core includes it in the prompt.
  const promptTokens =
    fresh + (cachedTokens ?? 0) + (writes.cacheWrite5mTokens ?? 0) + (writes.cacheWrite1hTokens ?? 0);
  if (promptTokens === 0 && completionTokens === 0) return undefined;
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    ...writes,
    reasoningTokens: read('thinking_tokens', objectOf(wire.output_tokens_details)?.thinking_tokens, completionTokens),
    promptAudioTokens: undefined,
    promptImageTokens: undefined,
    completionAudioTokens: undefined,
    toolUses: decodeToolUses(wire.server_tool_use, onAnomaly),
    source: 'upstream',
  };
}

/**
 * The sum and its two parts may come at different times. The sum takes precedence. Tokens in neither part count as
 * five-minute writes.
 */
function decodeCacheWrites(
  wire: WireObject,
  limit: number,
  onAnomaly: (what: string) => void,
): Pick<Usage, 'cacheWrite5mTokens' | 'cacheWrite1hTokens'> {
  const parts = objectOf(wire.cache_creation);
  const noted = (): void => onAnomaly('usage.cache_creation');
  const fiveMinutes = decodeCount(parts?.ephemeral_5m_input_tokens, limit, noted);
  const oneHour = decodeCount(parts?.ephemeral_1h_input_tokens, limit, noted);
  const told = decodeCount(wire.cache_creation_input_tokens, limit, noted);
  const sum = told ?? Math.min(limit, (fiveMinutes ?? 0) + (oneHour ?? 0));
  if (told === undefined && fiveMinutes === undefined && oneHour === undefined)
    return { cacheWrite5mTokens: undefined, cacheWrite1hTokens: undefined };
  if ((oneHour ?? 0) > sum) noted();
  const cacheWrite1hTokens = oneHour === undefined ? undefined : Math.min(oneHour, sum);
  return { cacheWrite5mTokens: sum - (cacheWrite1hTokens ?? 0), cacheWrite1hTokens };
}
