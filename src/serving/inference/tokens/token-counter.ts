import type { Clock } from '../../../core/time/clock.ts';
import type { TokenCounts } from 'chat-formats/chat/usage.ts';
import { FairThread, type FairThreadLimits, type StartThread, workThread } from '../../../core/fair-thread.ts';
import { countedSample } from './counted-sample.ts';
import { estimatedTokens } from './estimated-tokens.ts';

/** Counts tokens for answers whose provider did not report usage. */
export interface TokenCounter {
  /**
   * Token counts of the texts, in order. Waits for the vocabulary, so that the same text always has the same count.
   * Never rejects: texts that cannot be counted in time are estimated. Parties take turns, regardless of their load.
   */
  count(texts: readonly string[], party: string): Promise<TokenCounts>;
  stop(): Promise<void>;
}

/** Sizes are in characters. A short text counts as at least `jobCharactersMin`, because each job has a fixed cost. */
const limits: FairThreadLimits = {
  timeoutMs: 5000,
  startMaxMs: 30_000,
  workMaxMs: () => 2000,
  waitingMax: 32 * 1024 * 1024,
  partyMax: 8 * 1024 * 1024,
};
const jobCharactersMin = 1024;
/** Texts are large and short-lived. By default V8 would reserve as much memory for them as the main thread has. */
const memory = { maxYoungGenerationSizeMb: 24 };

type CountedTexts = readonly string[];
type CountList = readonly number[];

export function tokenCounter(
  clock: Clock,
  startThread: StartThread<CountedTexts, CountList> = countingThread,
): TokenCounter {
  const thread = new FairThread(clock, limits, startThread);
  return {
    count: async (texts, party) => {
      const samples = texts.map(countedSample);
      const characters = samples.reduce((sum, { text }) => sum + text.length, jobCharactersMin);
      const outcome = await thread.run(
        samples.map(({ text }) => text),
        characters,
        party,
      );
      const counts = typeof outcome === 'object' ? outcome.result : undefined;
      const tokens = samples.map(({ text, scale }, at) => Math.round((counts?.[at] ?? estimatedTokens(text)) * scale));
      return { tokens, source: counts ? 'counted' : 'estimated' };
    },
    stop: () => thread.stop(),
  };
}

/** A worker thread, because loading the vocabulary would stall all streams of the main thread. */
const countingThread: StartThread<CountedTexts, CountList> = (events) =>
  workThread(new URL(`./token-counter-worker${import.meta.url.slice(-3)}`, import.meta.url), memory, events);
