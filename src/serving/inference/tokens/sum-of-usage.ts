import type { Usage, UsageSource } from 'chat-formats/chat/usage.ts';

/** Total usage of several answers. A figure that none of them has stays undefined. */
export function sumOfUsage([first, ...others]: readonly [Usage, ...Usage[]]): Usage {
  return others.reduce(
    (sum, usage) => ({
      promptTokens: sum.promptTokens + usage.promptTokens,
      completionTokens: sum.completionTokens + usage.completionTokens,
      cachedTokens: plus(sum.cachedTokens, usage.cachedTokens),
      cacheWrite5mTokens: plus(sum.cacheWrite5mTokens, usage.cacheWrite5mTokens),
      cacheWrite1hTokens: plus(sum.cacheWrite1hTokens, usage.cacheWrite1hTokens),
      reasoningTokens: plus(sum.reasoningTokens, usage.reasoningTokens),
      promptAudioTokens: plus(sum.promptAudioTokens, usage.promptAudioTokens),
      promptImageTokens: plus(sum.promptImageTokens, usage.promptImageTokens),
      completionAudioTokens: plus(sum.completionAudioTokens, usage.completionAudioTokens),
      toolUses: sumToolUses(sum.toolUses, usage.toolUses),
      source: lessReliable(sum.source, usage.source),
    }),
    first,
  );
}

/** From most to least reliable. */
const reliability: readonly UsageSource[] = ['upstream', 'counted', 'estimated'];

function lessReliable(one: UsageSource, other: UsageSource): UsageSource {
  return reliability.indexOf(one) < reliability.indexOf(other) ? other : one;
}

function plus(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

function sumToolUses(one: Usage['toolUses'], other: Usage['toolUses']): Usage['toolUses'] {
  if (!one || !other) return one ?? other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
