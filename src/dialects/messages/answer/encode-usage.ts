import type { Usage } from '../../../core/chat/usage.ts';
import { encodeToolUses } from '../../token-count.ts';

/** All fields. The input count excludes tokens read from or written to a cache; that of core includes them. */
export function encodeMessagesUsage(usage: Usage) {
  const cacheRead = usage.cachedTokens ?? 0;
  const fiveMinutes = usage.cacheWrite5mTokens ?? 0;
  const oneHour = usage.cacheWrite1hTokens ?? 0;
  const { completionTokens, reasoningTokens, toolUses } = usage;
  return {
    input_tokens: Math.max(0, usage.promptTokens - cacheRead - fiveMinutes - oneHour),
    cache_creation_input_tokens: fiveMinutes + oneHour,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour },
    output_tokens: completionTokens,
    output_tokens_details: reasoningTokens === undefined ? null : { thinking_tokens: reasoningTokens },
    server_tool_use: toolUses === undefined ? null : encodeToolUses(toolUses),
    service_tier: null,
    inference_geo: null,
    speed: null,
    ...(usage.cost !== undefined && { cost: usage.cost }),
  };
}
