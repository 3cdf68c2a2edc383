import type { TokenCounts, Usage } from '../core/usage.ts';

/** What was said of an answer before another upstream went on with it. */
export interface ContinuedStart {
  readonly text: string;
  readonly tokens: number;
  /** How its tokens were counted. */
  readonly source: TokenCounts['source'];
  /** What the provider had told by then, if it tells while it speaks. */
  readonly told: Usage | undefined;
}

/**
 * The usage of the whole answer, from that of the part that went on: to its provider the beginning was prompt, to the
 * client it is output. The prompt counts once, and the sum is what was said; the split is ours.
 */
export function continuedUsage(usage: Usage, { tokens, source, told }: ContinuedStart): Usage {
  const promptTokens = told?.promptTokens ?? Math.max(0, usage.promptTokens - tokens);
  return {
    ...usage,
    promptTokens,
    completionTokens: tokens + usage.completionTokens,
    cachedTokens: usage.cachedTokens === undefined ? undefined : Math.min(usage.cachedTokens, promptTokens),
    source,
  };
}
