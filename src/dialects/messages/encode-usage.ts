import type { Usage } from '../../core/usage.ts';

/**
 * The format's usage object with every field it has. Its input leaves out what was read from or written to a cache,
 * which core counts as input like any other.
 */
export function encodeMessagesUsage(usage: Usage) {
  const cacheRead = usage.cachedTokens ?? 0;
  const fiveMinutes = usage.cacheWrite5mTokens ?? 0;
  const oneHour = usage.cacheWrite1hTokens ?? 0;
  const { completionTokens, reasoningTokens, serverToolRequests } = usage;
  return {
    input_tokens: Math.max(0, usage.promptTokens - cacheRead - fiveMinutes - oneHour),
    cache_creation_input_tokens: fiveMinutes + oneHour,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour },
    output_tokens: completionTokens,
    output_tokens_details: reasoningTokens === undefined ? null : { thinking_tokens: reasoningTokens },
    // Core has one count for all of a provider's own tools; searches are the usual ones.
    server_tool_use:
      serverToolRequests === undefined ? null : { web_search_requests: serverToolRequests, web_fetch_requests: 0 },
    service_tier: null,
    inference_geo: null,
    speed: null,
  };
}
