import { assert } from 'chat-formats/assert.ts';
import { type Usage, type UsageSource, unreportedUsage } from 'chat-formats/chat/usage.ts';

/** Total usage of several answers, with all calls of each. A figure that none of them has stays undefined. */
export function sumOfUsage(answers: readonly [Usage, ...Usage[]]): Usage {
  const [first, ...others] = answers.flatMap(callsOf);
  assert(first !== undefined, 'an answer has a call');
  return others.reduce(
    (sum, usage) => ({
      promptTokens: sum.promptTokens + usage.promptTokens,
      completionTokens: sum.completionTokens + usage.completionTokens,
      cachedTokens: plus(sum.cachedTokens, usage.cachedTokens),
      cacheWrite5mTokens: plus(sum.cacheWrite5mTokens, usage.cacheWrite5mTokens),
      cacheWrite30mTokens: plus(sum.cacheWrite30mTokens, usage.cacheWrite30mTokens),
      cacheWrite1hTokens: plus(sum.cacheWrite1hTokens, usage.cacheWrite1hTokens),
      cacheWrite12hTokens: plus(sum.cacheWrite12hTokens, usage.cacheWrite12hTokens),
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

/** The calls of an answer, as answers. Its tools are those of the first. */
function callsOf(answer: Usage): readonly Usage[] {
  const { parts, toolUses, source } = answer;
  if (!parts) return [answer];
  const none: Usage = { ...unreportedUsage, promptTokens: 0, completionTokens: 0, toolUses, source };
  return [none, ...parts.map(({ kind: _kind, model: _model, of: _of, ...counts }) => ({ ...counts, source }))];
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
