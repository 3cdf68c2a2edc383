import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../../core/chat/usage.ts';
import { decodeUsage } from '../../dialects/chat-completions/answer/decode-usage.ts';
import { listOf, objectOf, type WireObject } from '../../dialects/wire-value.ts';

/** In the packages, input includes cached tokens, and output reasoning. Missing counts are read from the provider's. */
export function decodeBridgeUsage(
  { inputTokens, outputTokens, raw = {} }: LanguageModelV4Usage,
  onAnomaly: (what: string) => void,
): Usage | undefined {
  const written1h = cacheWrittenFor1h(raw);
  return decodeUsage(
    {
      prompt_tokens: inputTokens.total,
      completion_tokens: outputTokens.total,
      prompt_tokens_details: {
        cached_tokens: inputTokens.cacheRead ?? raw['cached_tokens'],
        audio_tokens: tokensOf('AUDIO', raw),
        image_tokens: tokensOf('IMAGE', raw),
      },
      upstream_cache_creation_5_m_tokens: without(inputTokens.cacheWrite, written1h),
      upstream_cache_creation_1_h_tokens: written1h,
      completion_tokens_details: {
        reasoning_tokens: outputTokens.reasoning ?? objectOf(raw['completion_tokens_details'])?.['reasoning_tokens'],
      },
    },
    onAnomaly,
  );
}

/** Bedrock reports the lifetime of the cached tokens. */
function cacheWrittenFor1h(raw: WireObject): number | undefined {
  const details = listOf(raw['cacheDetails']).map(objectOf);
  const tokens = details.find((detail) => detail?.['ttl'] === '1h')?.['inputTokens'];
  return typeof tokens === 'number' ? tokens : undefined;
}

function without(all: number | undefined, part: number | undefined): number | undefined {
  return all === undefined || part === undefined ? all : Math.max(0, all - part);
}

/** Gemini counts each modality of the prompt. */
function tokensOf(modality: string, raw: WireObject): unknown {
  const details = listOf(raw['promptTokensDetails']).map(objectOf);
  return details.find((detail) => detail?.['modality'] === modality)?.['tokenCount'];
}
