import type { Usage } from '../../../core/chat/usage.ts';

/** Details always contain their counts, because clients fail on an object without them. */
export function encodeResponsesUsage(usage: Usage) {
  const { promptTokens, completionTokens, cachedTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: {
      cached_tokens: cachedTokens ?? 0,
      cache_write_tokens: (cacheWrite5mTokens ?? 0) + (cacheWrite1hTokens ?? 0),
    },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: promptTokens + completionTokens,
    ...(usage.cost !== undefined && { cost: usage.cost }),
  };
}
