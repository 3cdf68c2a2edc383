import { recentlyUsed } from '../core/recently-used.ts';

/** What is expected of an account and model of which nothing is known yet. */
const firstGuessTokens = 500;
/** How much the latest answer counts against all before it. */
const newShare = 0.2;
const knownMax = 50_000;

/** Knows how long the answers of a model to an account have been of late. */
export interface ExpectedOutput {
  /** Tokens to expect of an answer that may have at most `capTokens`. */
  of(accountId: string, model: string, capTokens: number): number;
  learn(accountId: string, model: string, outputTokens: number): void;
}

export function expectedOutput(): ExpectedOutput {
  const known = recentlyUsed<string, number>(knownMax);
  return {
    of: (accountId, model, capTokens) => Math.min(known.get(`${accountId} ${model}`) ?? firstGuessTokens, capTokens),
    learn(accountId, model, outputTokens) {
      const before = known.get(`${accountId} ${model}`);
      const after = before === undefined ? outputTokens : before + newShare * (outputTokens - before);
      known.set(`${accountId} ${model}`, after);
    },
  };
}
