import { recentlyUsed } from '../../../core/recently-used.ts';
import { promptTokensIn } from '../../routing/queue/request-cost.ts';

/** Expected output of a model without any history. */
const firstGuessTokens = 500;
/** The weight of the latest answer in the moving average. */
const newShare = 0.2;
const knownMax = 50_000;

/** Usage of one request; `outputTokens` is per choice. */
interface TokensUsed {
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/**
 * The recent usage of each account per model. A new account starts with the average of all others. If the estimate is
 * too high, the account waits behind many requests of others. If it is too low, the account takes many slots before the
 * queue learns their cost.
 */
export interface ExpectedUsage {
  /** Expected tokens of a request; `size` is in bytes. */
  of(accountId: string, model: string, size: number): TokensUsed;
  /** `size` is undefined if the provider did not count the prompt: the gateway must not learn from its own estimate. */
  learn(accountId: string, model: string, used: TokensUsed & { readonly size: number | undefined }): void;
}

/**
 * Prompt tokens and size are decaying sums, so a few small prompts have little effect on the estimate of a large one.
 */
interface UsageHistory {
  readonly outputTokens: number;
  readonly promptTokens: number;
  readonly size: number;
}

export function expectedUsage(): ExpectedUsage {
  const known = recentlyUsed<string, UsageHistory>(knownMax);
  return {
    of(accountId, model, size) {
      const before = known.get(`${accountId} ${model}`) ?? known.get(` ${model}`);
      if (!before) return { promptTokens: promptTokensIn(size), outputTokens: firstGuessTokens };
      const isPromptKnown = before.size > 0;
      const promptTokens = isPromptKnown ? (size * before.promptTokens) / before.size : promptTokensIn(size);
      return { promptTokens, outputTokens: before.outputTokens };
    },
    learn(accountId, model, used) {
      for (const name of [`${accountId} ${model}`, ` ${model}`]) known.set(name, learned(known.get(name), used));
    },
  };
}

function learned(
  before: UsageHistory | undefined,
  { size, promptTokens, outputTokens }: Parameters<ExpectedUsage['learn']>[2],
): UsageHistory {
  const { outputTokens: usual = outputTokens, ...prompts } = before ?? { promptTokens: 0, size: 0 };
  const output = usual + newShare * (outputTokens - usual);
  if (size === undefined) return { ...prompts, outputTokens: output };
  return {
    outputTokens: output,
    promptTokens: (1 - newShare) * prompts.promptTokens + promptTokens,
    size: (1 - newShare) * prompts.size + size,
  };
}
