import { recentlyUsed } from '../core/recently-used.ts';

/** What is expected of a model of which nothing is known yet. */
const firstGuessTokens = 500;
/** How much the latest answer counts against all before it. */
const newShare = 0.2;
const knownMax = 50_000;

/**
 * Knows how long the answers of a model to an account have been of late; to one that is new, how long they have been to
 * all others. A guess that is far off would put whoever comes next behind many turns of an account that paid too much at first.
 */
export interface ExpectedOutput {
  /** Tokens to expect of an answer that may have at most `capTokens`. */
  of(accountId: string, model: string, capTokens: number): number;
  learn(accountId: string, model: string, outputTokens: number): void;
}

export function expectedOutput(): ExpectedOutput {
  const known = recentlyUsed<string, number>(knownMax);
  function learnOf(name: string, outputTokens: number): void {
    const before = known.get(name);
    known.set(name, before === undefined ? outputTokens : before + newShare * (outputTokens - before));
  }
  return {
    of(accountId, model, capTokens) {
      const expected = known.get(`${accountId} ${model}`) ?? known.get(` ${model}`) ?? firstGuessTokens;
      return Math.min(expected, capTokens);
    },
    learn(accountId, model, outputTokens) {
      learnOf(`${accountId} ${model}`, outputTokens);
      learnOf(` ${model}`, outputTokens);
    },
  };
}
