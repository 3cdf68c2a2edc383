import { between, seededRandom } from './random.ts';

/** The provider's behaviour for one request. The provider and the checks derive it from the seed and the tag. */
export interface AnswerPlan {
  readonly kind: 'answers' | 'answers-without-usage' | 'refuses' | 'resets' | 'breaks-off';
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The number of tokens before the connection breaks, for `breaks-off`. */
  readonly brokenAfter: number;
  readonly pauseMs: number;
}

export function answerPlan(seed: number, tag: string): AnswerPlan {
  const random = seededRandom(seed, 'answer', tag);
  const completionTokens = random() < 0.05 ? between(random, 100, 200) : between(random, 1, 40);
  return {
    kind: kindOf(random()),
    // Always more than the gateway's own count, which it uses if the provider reports no usage.
    promptTokens: between(random, 20, 500),
    completionTokens,
    brokenAfter: between(random, 1, completionTokens),
    pauseMs: between(random, 0, 15),
  };
}

function kindOf(chance: number): AnswerPlan['kind'] {
  if (chance < 0.06) return 'refuses';
  if (chance < 0.1) return 'resets';
  if (chance < 0.18) return 'breaks-off';
  return chance < 0.26 ? 'answers-without-usage' : 'answers';
}
