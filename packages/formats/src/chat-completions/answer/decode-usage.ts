import { type CacheLifetime, decodeWriteDetails, shortAndLong, writesOf } from '../../cache-lifetime.ts';
import type { Usage } from '../../chat/usage.ts';
import { type CountReader, countReader, decodeToolUses } from '../../token-count.ts';
import { objectOf, type WireObject } from '../../wire-value.ts';
import type { ResolvedQuirks } from '../quirks.ts';

type UsageTotal = ResolvedQuirks['usageTotal'];

/** Corrects a provider's counts to consistent integers. `undefined` if the total usage cannot be derived. */
export function decodeUsage(
  value: unknown,
  onAnomaly: (what: string) => void,
  total: UsageTotal = 'sum',
  unsplit?: () => CacheLifetime,
): Usage | undefined {
  const wire = objectOf(value);
  if (!wire) return undefined;
  const read = countReader(onAnomaly);
  const totals = decodeTotals(wire, read, total);
  if (!totals) {
    onAnomaly('usage without counts');
    return undefined;
  }
  return {
    ...totals,
    ...decodePrompt(wire, totals.promptTokens, read, unsplit),
    ...decodeCompletion(wire, totals.completionTokens, read),
    ...decodeProviderTools(wire, onAnomaly),
    source: 'upstream',
  };
}

/** A missing count is derived from the total. Zero for both counts as missing: a request that ran used tokens. */
function decodeTotals(wire: WireObject, read: CountReader, usageTotal: UsageTotal) {
  const total = read('total_tokens', wire.total_tokens);
  const prompt = read('prompt_tokens', wire.prompt_tokens);
  const completion = read('completion_tokens', wire.completion_tokens);
  const promptTokens = prompt ?? difference(total, completion);
  const completionTokens = completion ?? difference(total, prompt);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  if (promptTokens === 0 && completionTokens === 0) return undefined;
  // Some providers count reasoning only in the total, not in the output.
  const reasoning = read('reasoning_tokens', reasoningOf(wire)) ?? 0;
  if (usageTotal === 'with-reasoning' && total !== undefined && total > promptTokens + completionTokens) {
    return { promptTokens, completionTokens: total - promptTokens };
  }
  const isApart = reasoning > 0 && total === promptTokens + completionTokens + reasoning;
  return { promptTokens, completionTokens: isApart ? completionTokens + reasoning : completionTokens };
}

/** Cached, written and uncached tokens add up to the prompt, and so do its kinds of content. */
function decodePrompt(wire: WireObject, all: number, read: CountReader, unsplit: (() => CacheLifetime) | undefined) {
  const details = objectOf(wire.prompt_tokens_details) ?? {};
  const cached = details.cached_tokens ?? wire.prompt_cache_hit_tokens ?? wire.cached_tokens;
  const cachedTokens = read('cached_tokens', cached, all);
  const fresh = all - (cachedTokens ?? 0);
  const writes = decodeWrites(wire, details, fresh, read, unsplit);
  const promptAudioTokens = read('prompt.audio_tokens', details.audio_tokens, all);
  const promptImageTokens = read('prompt.image_tokens', details.image_tokens, all - (promptAudioTokens ?? 0));
  return { cachedTokens, ...writes, promptAudioTokens, promptImageTokens };
}

/** A gateway like this one reports two counts at the top. */
function decodeWrites(
  wire: WireObject,
  details: WireObject,
  fresh: number,
  read: CountReader,
  unsplit: (() => CacheLifetime) | undefined,
) {
  const own = wire.upstream_cache_creation_5_m_tokens ?? undefined;
  const writes =
    own === undefined
      ? decodeWriteDetails(details, fresh, read, unsplit)
      : writesOf('5m', read('cache_creation_5_m_tokens', own, fresh));
  const [short = 0, long = 0] = shortAndLong(writes);
  const oneHour = read('cache_creation_1_h_tokens', wire.upstream_cache_creation_1_h_tokens, fresh - short - long);
  return oneHour === undefined ? writes : { ...writes, cacheWrite1hTokens: (writes.cacheWrite1hTokens ?? 0) + oneHour };
}

function decodeCompletion(wire: WireObject, all: number, read: CountReader) {
  const audio = objectOf(wire.completion_tokens_details)?.audio_tokens;
  const completionAudioTokens = read('completion.audio_tokens', audio, all);
  const reasoningTokens = read('reasoning_tokens', reasoningOf(wire), all - (completionAudioTokens ?? 0));
  return { reasoningTokens, completionAudioTokens };
}

/** The format has no field for tool uses. These are the fields that providers use. */
function decodeProviderTools(wire: WireObject, onAnomaly: (what: string) => void): Pick<Usage, 'toolUses'> {
  const searches =
    wire.num_search_queries ?? wire.num_sources_used ?? objectOf(objectOf(wire.plugins)?.search)?.count ?? undefined;
  const uses = objectOf(wire.server_tool_use) ?? (searches === undefined ? undefined : { web_search: searches });
  return uses ? { toolUses: decodeToolUses(uses, onAnomaly) } : {};
}

function reasoningOf(wire: WireObject): unknown {
  return objectOf(wire.completion_tokens_details)?.reasoning_tokens ?? wire.reasoning_tokens;
}

function difference(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined ? undefined : Math.max(0, total - part);
}
