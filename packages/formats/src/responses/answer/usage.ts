import { type CacheLifetime, decodeWriteDetails, encodeWriteDetails, shortAndLong } from '../../cache-lifetime.ts';
import { type Usage, unreportedUsage } from '../../chat/usage.ts';
import { countReader } from '../../token-count.ts';
import { objectOf } from '../../wire-value.ts';

/** Decodes and checks the token counts of a response. Returns `undefined` if they are missing or invalid. */
export function decodeResponsesUsage(
  value: unknown,
  onAnomaly: (what: string) => void,
  unsplit?: () => CacheLifetime,
): Usage | undefined {
  const wire = objectOf(value);
  if (!wire) return undefined;
  const read = countReader(onAnomaly);
  const promptTokens = read('input_tokens', wire.input_tokens);
  const completionTokens = read('output_tokens', wire.output_tokens);
  if (promptTokens === undefined || completionTokens === undefined || promptTokens + completionTokens === 0) {
    onAnomaly('usage without counts');
    return undefined;
  }
  const input = objectOf(wire.input_tokens_details) ?? {};
  const cachedTokens = read('cached_tokens', input.cached_tokens, promptTokens);
  return {
    ...unreportedUsage,
    promptTokens,
    completionTokens,
    cachedTokens,
    ...decodeWriteDetails(input, promptTokens - (cachedTokens ?? 0), read, unsplit),
    reasoningTokens: read('reasoning_tokens', objectOf(wire.output_tokens_details)?.reasoning_tokens, completionTokens),
    source: 'upstream',
  };
}

/** Details always contain their counts, because clients fail on an object without them. */
export function encodeResponsesUsage(usage: Usage) {
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const [shortWrites = 0, longWrites = 0] = shortAndLong(usage);
  const split = encodeWriteDetails(usage);
  return {
    input_tokens: promptTokens,
    input_tokens_details: {
      cached_tokens: cachedTokens ?? 0,
      cache_write_tokens: shortWrites + longWrites,
      ...(split && { cache_write_tokens_details: split }),
    },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: promptTokens + completionTokens,
    ...(usage.cost !== undefined && { cost: usage.cost }),
  };
}
