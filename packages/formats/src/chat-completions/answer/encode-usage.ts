import { shortAndLong } from '../../cache-lifetime.ts';
import type { Usage } from '../../chat/usage.ts';

/** The contract's usage object, with `cost` if it is reported. Counts that the provider did not send are 0. */
export function encodeUsage(usage: Usage, source: string) {
  const { promptTokens, completionTokens } = usage;
  const promptAudio = usage.promptAudioTokens ?? 0;
  const promptImage = usage.promptImageTokens ?? 0;
  const completionAudio = usage.completionAudioTokens ?? 0;
  const reasoning = usage.reasoningTokens ?? 0;
  const [shortWrites = 0, longWrites = 0] = shortAndLong(usage);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      text_tokens: Math.max(0, promptTokens - promptAudio - promptImage),
      audio_tokens: promptAudio,
      image_tokens: promptImage,
    },
    completion_tokens_details: {
      text_tokens: Math.max(0, completionTokens - completionAudio - reasoning),
      audio_tokens: completionAudio,
      reasoning_tokens: reasoning,
    },
    input_tokens: promptTokens,
    // In the contract this alias is always 0; clients must read completion_tokens.
    output_tokens: 0,
    upstream_cache_creation_5_m_tokens: shortWrites,
    upstream_cache_creation_1_h_tokens: longWrites,
    usage_semantic: 'openai',
    usage_source: source,
    ...(usage.cost !== undefined && { cost: usage.cost }),
  };
}
