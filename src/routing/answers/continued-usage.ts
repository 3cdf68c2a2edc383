import type { TokenCounts, Usage } from '../../core/chat/usage.ts';

/** The part of an answer before another upstream continued it. */
export interface ContinuedStart {
  readonly text: string;
  readonly tokens: number;
  /** How its tokens were counted. */
  readonly source: TokenCounts['source'];
  /** The usage that the provider had reported by then, if it reports usage during the stream. */
  readonly reportedUsage: Usage | undefined;
}

/**
 * The usage of the whole answer, from the usage of the continuation. For its provider the beginning was prompt; for the
 * client it is output. The prompt counts once. The sum is as reported; the gateway computes the split.
 */
export function continuedUsage(usage: Usage, { tokens, source, reportedUsage }: ContinuedStart): Usage {
  const promptTokens = reportedUsage?.promptTokens ?? Math.max(0, usage.promptTokens - tokens);
  return {
    ...usage,
    promptTokens,
    completionTokens: tokens + usage.completionTokens,
    cachedTokens: usage.cachedTokens === undefined ? undefined : Math.min(usage.cachedTokens, promptTokens),
    source,
  };
}
