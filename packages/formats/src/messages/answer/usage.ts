import { levelFields } from '../../price.ts';
import { type CacheLifetime, shortAndLong, writesOf } from '../../cache-lifetime.ts';
import { type Usage, type UsagePart, unreportedUsage } from '../../chat/usage.ts';
import { decodeLevel } from '../../priced-fields.ts';
import { countReader, decodeCount, tokensMax, decodeToolUses, encodeToolUses } from '../../token-count.ts';
import { isObject, listOf, nonEmptyString, objectOf, type WireObject } from '../../wire-value.ts';

/** Corrects the counts of an answer: `last`, at its end, override `first`. `undefined` if they give no total. */
export function decodeUsage(
  first: WireObject | undefined,
  last: WireObject | undefined,
  onAnomaly: (what: string) => void,
  unsplit?: () => CacheLifetime,
): Usage | undefined {
  if (!first && !last) return undefined;
  // The output count in `message_start` is only a placeholder.
  const usage = last && decodeCounts(mergeCounts({ ...first, output_tokens: undefined }, last), onAnomaly, unsplit);
  if (!usage) onAnomaly('usage without counts');
  return usage;
}

/** The counts at the start of an answer, when the input is counted. `undefined` if it is not. */
export function decodeUsageSoFar(first: WireObject | undefined, unsplit?: () => CacheLifetime): Usage | undefined {
  return first && decodeCounts({ ...first, output_tokens: first.output_tokens ?? 0 }, () => {}, unsplit);
}

/** Counts are cumulative: for each field, the later value overrides the earlier one, if there is one. */
function mergeCounts(first: WireObject, last: WireObject): WireObject {
  const all = { ...first, ...withoutNulls(last) };
  // Some providers send zeros at the end for counts that they sent at the start.
  const hasInputAgain = inputFields.some((name) => (last[name] ?? 0) !== 0);
  if (!hasInputAgain) for (const name of inputFields) all[name] = first[name] ?? last[name];
  const parts = objectOf(first.cache_creation);
  return {
    ...all,
    iterations: mergeIterations(first.iterations, last.iterations),
    cache_creation: parts ? { ...parts, ...withoutNulls(objectOf(last.cache_creation)) } : all.cache_creation,
  };
}

/** The later list counts. Kinds that it lacks are added: a provider may report a summary when it is done with it. */
function mergeIterations(first: unknown, last: unknown): readonly unknown[] {
  const kinds = new Set(listOf(last).map(kindOf));
  return [...listOf(first).filter((entry) => !kinds.has(kindOf(entry))), ...listOf(last)];
}

function withoutNulls(wire: WireObject = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== null && value !== undefined));
}

const inputFields = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const;

function decodeCounts(
  wire: WireObject,
  onAnomaly: (what: string) => void,
  unsplit: () => CacheLifetime = () => '5m',
): Usage | undefined {
  const read = countReader(onAnomaly);
  const uncached = read('input_tokens', wire.input_tokens);
  const completionTokens = read('output_tokens', wire.output_tokens);
  if (uncached === undefined || completionTokens === undefined) return undefined;
  const cachedTokens = read('cache_read_input_tokens', wire.cache_read_input_tokens, tokensMax - uncached);
  const writes = decodeCacheWrites(wire, tokensMax - uncached - (cachedTokens ?? 0), onAnomaly, unsplit);
  // This format counts cached input separately; core includes it in the prompt.
  const [shortWrites = 0, longWrites = 0] = shortAndLong(writes);
  const promptTokens = uncached + (cachedTokens ?? 0) + shortWrites + longWrites;
  const parts = decodeParts(wire, onAnomaly, unsplit);
  if (promptTokens === 0 && completionTokens === 0 && !parts) return undefined;
  return {
    ...unreportedUsage,
    promptTokens,
    completionTokens,
    cachedTokens,
    ...writes,
    reasoningTokens: read('thinking_tokens', objectOf(wire.output_tokens_details)?.thinking_tokens, completionTokens),
    toolUses: decodeToolUses(wire.server_tool_use, onAnomaly),
    ...decodeServed(wire),
    ...(parts && { parts }),
    source: 'upstream',
  };
}

/** More calls than a provider makes for one answer. */
const partsMax = 256;
const kindShownMax = 64;
const kinds: ReadonlySet<string> = new Set(['message', 'compaction', 'advisor_message', 'fallback_message']);

/** A call without one of the counts is still charged for the other. */
const noCounts = { input_tokens: 0, output_tokens: 0 };
const notOfCalls = { iterations: undefined, server_tool_use: undefined };

/** One `message` is the answer itself, whose counts are the totals. */
function decodeParts(
  wire: WireObject,
  onAnomaly: (what: string) => void,
  unsplit: () => CacheLifetime,
): readonly UsagePart[] | undefined {
  const entries = listOf(wire.iterations).filter(isObject);
  if (entries.length === 0 || (entries.length === 1 && kindOf(entries[0]) === 'message')) return undefined;
  if (entries.length > partsMax) onAnomaly('usage.iterations: too many');
  if (entries.some((entry) => !kinds.has(kindOf(entry)))) onAnomaly('usage.iterations: unknown type');
  const hasFallback = entries.some((entry) => kindOf(entry) === 'fallback_message');
  return entries.slice(0, partsMax).flatMap((entry): UsagePart[] => {
    const counts = decodeCounts({ ...noCounts, ...withoutNulls(entry), ...notOfCalls }, onAnomaly, unsplit);
    if (!counts) return [];
    const kind = kindOf(entry);
    // An attempt that was declined before any output is free.
    if (kind === 'message' && hasFallback && counts.completionTokens === 0) return [];
    const { toolUses: _tools, source: _source, ...tokens } = counts;
    return [{ ...decodeServed(wire), ...tokens, kind, model: nonEmptyString(entry.model) }];
  });
}

function kindOf(entry: unknown): string {
  return (nonEmptyString(objectOf(entry)?.type) ?? 'unknown').slice(0, kindShownMax);
}

function decodeServed(wire: WireObject): Pick<Usage, 'served'> {
  const served = decodeLevel(wire);
  return levelFields.some((field) => served[field] !== undefined) ? { served } : {};
}

/** The sum and its parts may come at different times. The sum counts; its rest counts as five-minute writes. */
function decodeCacheWrites(
  wire: WireObject,
  limit: number,
  onAnomaly: (what: string) => void,
  unsplit: () => CacheLifetime,
): ReturnType<typeof writesOf> {
  const parts = objectOf(wire.cache_creation);
  const noteAnomaly = (): void => onAnomaly('usage.cache_creation');
  const fiveMinutes = decodeCount(parts?.ephemeral_5m_input_tokens, limit, noteAnomaly);
  const oneHour = decodeCount(parts?.ephemeral_1h_input_tokens, limit, noteAnomaly);
  const reportedSum = decodeCount(wire.cache_creation_input_tokens, limit, noteAnomaly);
  const sum = reportedSum ?? Math.min(limit, (fiveMinutes ?? 0) + (oneHour ?? 0));
  const isSplit = fiveMinutes !== undefined || oneHour !== undefined;
  if (!isSplit) return writesOf(reportedSum ? unsplit() : '5m', reportedSum);
  if ((oneHour ?? 0) > sum) noteAnomaly();
  const cacheWrite1hTokens = oneHour === undefined ? undefined : Math.min(oneHour, sum);
  return { cacheWrite5mTokens: sum - (cacheWrite1hTokens ?? 0), cacheWrite1hTokens };
}

/** The input count excludes tokens read from or written to a cache; that of core includes them. */
export function encodeMessagesUsage(usage: Usage) {
  const cacheRead = usage.cachedTokens ?? 0;
  const [fiveMinutes = 0, oneHour = 0] = shortAndLong(usage);
  const { completionTokens, reasoningTokens, toolUses } = usage;
  return {
    input_tokens: Math.max(0, usage.promptTokens - cacheRead - fiveMinutes - oneHour),
    cache_creation_input_tokens: fiveMinutes + oneHour,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour },
    output_tokens: completionTokens,
    ...(reasoningTokens !== undefined && { output_tokens_details: { thinking_tokens: reasoningTokens } }),
    ...(toolUses !== undefined && { server_tool_use: encodeToolUses(toolUses) }),
    ...(usage.cost !== undefined && { cost: usage.cost }),
  };
}
