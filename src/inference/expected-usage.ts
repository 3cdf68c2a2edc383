import { recentlyUsed } from '../core/recently-used.ts';
import { promptTokensIn } from '../routing/request-cost.ts';

/** The output that is expected of a model of which nothing is known yet. */
const firstGuessTokens = 500;
/** How much the latest answer counts against all before it. */
const newShare = 0.2;
const knownMax = 50_000;

/** What one request uses; its output is that of one choice. */
interface TokensUsed {
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/**
 * Knows what requests of an account to a model have used of late; of an account that is new, what those of all others have.
 * A guess that is too high puts an account behind many turns of others. A guess that is too low lets it take many places
 * before the queue learns what they cost.
 */
export interface ExpectedUsage {
  /** Tokens to expect of a request of that size, in bytes. */
  of(accountId: string, model: string, size: number): TokensUsed;
  /** The size is `undefined` where the provider did not count the prompt: the gateway learns nothing from its own guess. */
  learn(accountId: string, model: string, used: TokensUsed & { readonly size: number | undefined }): void;
}

/** Prompt and size are sums over the latest requests, so that a few small prompts say little about a large one. */
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
