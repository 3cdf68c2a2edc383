import type { Usage } from '../../core/usage.ts';
import { objectOf, type WireObject } from '../wire-value.ts';

/** More than any answer has; what claims to be above it is a broken counter. */
const tokensMax = 2 ** 31 - 1;

/**
 * Reads a provider's counts without believing them: whatever they hold, the result is whole numbers that fit together.
 * `undefined` when the counts do not say what was used. What had to be mended is told to `onAnomaly`.
 */
export function decodeUsage(value: unknown, onAnomaly: (what: string) => void): Usage | undefined {
  const wire = objectOf(value);
  if (!wire) return undefined;
  const read = (name: string, count: unknown) => decodeCount(count, () => onAnomaly(`usage.${name}`));
  const counts = decodeTotals(wire, read);
  if (!counts) return undefined;
  const capped = (name: string, limit: number, ...candidates: readonly unknown[]) => {
    const count = read(
      name,
      candidates.find((candidate) => candidate !== undefined && candidate !== null),
    );
    if (count === undefined || count <= limit) return count;
    onAnomaly(`usage.${name}`);
    return limit;
  };
  const prompt = objectOf(wire.prompt_tokens_details) ?? {};
  const completion = objectOf(wire.completion_tokens_details) ?? {};
  const { promptTokens, completionTokens } = counts;
  const cached = capped(
    'cached_tokens',
    promptTokens,
    prompt.cached_tokens,
    wire.prompt_cache_hit_tokens,
    wire.cached_tokens,
  );
  const uncached = promptTokens - (cached ?? 0);
  const written5m = capped(
    'cache_creation_5_m',
    uncached,
    wire.upstream_cache_creation_5_m_tokens,
    prompt.cache_write_tokens,
  );
  const written1h = capped('cache_creation_1_h', uncached - (written5m ?? 0), wire.upstream_cache_creation_1_h_tokens);
  const promptAudio = capped('prompt.audio_tokens', promptTokens, prompt.audio_tokens);
  const completionAudio = capped('completion.audio_tokens', completionTokens, completion.audio_tokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens: cached,
    cacheWrite5mTokens: written5m,
    cacheWrite1hTokens: written1h,
    reasoningTokens: capped('reasoning_tokens', completionTokens - (completionAudio ?? 0), reasoningOf(wire)),
    promptAudioTokens: promptAudio,
    promptImageTokens: capped('prompt.image_tokens', promptTokens - (promptAudio ?? 0), prompt.image_tokens),
    completionAudioTokens: completionAudio,
    source: 'upstream',
  };
}

type ReadCount = (name: string, value: unknown) => number | undefined;

/** Both counts, one of them by way of the total if need be. Nothing at all was used by no request that ran. */
function decodeTotals(wire: WireObject, read: ReadCount): Pick<Usage, 'promptTokens' | 'completionTokens'> | undefined {
  const total = read('total_tokens', wire.total_tokens);
  const prompt = read('prompt_tokens', wire.prompt_tokens);
  const completion = read('completion_tokens', wire.completion_tokens);
  const promptTokens = prompt ?? difference(total, completion);
  const completionTokens = completion ?? difference(total, prompt);
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  if (promptTokens === 0 && completionTokens === 0) return undefined;
  // Some providers leave reasoning out of the output count and put it into the total alone.
  const reasoning = read('reasoning_tokens', reasoningOf(wire)) ?? 0;
  const isApart = reasoning > 0 && total === promptTokens + completionTokens + reasoning;
  return { promptTokens, completionTokens: isApart ? completionTokens + reasoning : completionTokens };
}

function reasoningOf(wire: WireObject): unknown {
  return objectOf(wire.completion_tokens_details)?.reasoning_tokens ?? wire.reasoning_tokens;
}

function difference(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined ? undefined : Math.max(0, total - part);
}

function decodeCount(value: unknown, onAnomaly: () => void): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= tokensMax) return value;
  onAnomaly();
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
  return Math.min(tokensMax, Math.max(0, Math.trunc(number)));
}
