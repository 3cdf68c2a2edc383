import type { Clock } from '../core/clock.ts';
import { leakyCounts } from './leaky-counts.ts';
import type { Pause } from './parts.ts';
import { turns } from './turns.ts';

/** Someone's proof of who they are, which may be a guess. */
export interface Guess {
  /** Whom it is about. Attempts for the same name are looked at one after another. */
  readonly name: string;
  /** Where it comes from; left out where something else than a name was shown already, such as a session. */
  readonly address?: string | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Answers the impatient later and later, but answers them: nobody is locked out by someone else's guesses for good. */
export interface SlowDown {
  /** Looks at the proof in its turn, after the wait that failures before it have earned. A status below 400 is a success. */
  attempt<Answer extends { readonly status: number }>(attempt: Guess, look: () => Promise<Answer>): Promise<Answer>;
}

/** For one name: guesses of one password. */
const byName = { free: 5, firstDelayMs: 250, delayMaxMs: 8000, drainMs: 180_000, waitingMax: 4 };
/**
 * For one address: names it failed for, each counted once. Behind an address may be a proxy and everyone, so it is slowed
 * late, and little: it is there for those who try one password with many names.
 */
const byAddress = { free: 30, firstDelayMs: 250, delayMaxMs: 1000, drainMs: 60_000, waitingMax: 16 };

export function slowDown({ clock, pause }: { readonly clock: Clock; readonly pause: Pause }): SlowDown {
  const names = failures(clock, byName);
  const addresses = failures(clock, byAddress);
  /** Names that failed at an address, so that one name counts there once. */
  const pairs = leakyCounts(clock, { drainMs: byAddress.drainMs * byAddress.free, max: 1 });

  async function waited({ signal }: Guess, delayMs: number): Promise<void> {
    if (delayMs > 0) await pause(delayMs, signal);
  }

  /** Counts the name against the address until it proves right. */
  function countAt(address: string, name: string): () => void {
    const pair = `${address} ${name}`;
    if (pairs.level(pair) > 0) return () => {};
    pairs.add(pair);
    addresses.counts.add(address);
    return () => {
      pairs.clear(pair);
      addresses.counts.take(address);
    };
  }

  /** An address that fails for few names is none that anybody has to wait for. */
  async function atAddress<Answer extends { readonly status: number }>(
    attempt: Guess,
    look: () => Promise<Answer>,
  ): Promise<Answer> {
    const { address, name, signal } = attempt;
    if (address === undefined) return look();
    const end =
      addresses.delayMs(address) > 0 ? await addresses.turns.take(address, { party: name, signal }) : () => {};
    try {
      await waited(attempt, addresses.delayMs(address));
      const forgive = countAt(address, name);
      const answer = await look();
      if (answer.status < 400) forgive();
      return answer;
    } finally {
      end();
    }
  }

  return {
    async attempt(attempt, look) {
      const { name, address = '', signal } = attempt;
      const end = await names.turns.take(name, { party: address, signal });
      try {
        await waited(attempt, names.delayMs(name));
        names.counts.add(name);
        const answer = await atAddress(attempt, look);
        if (answer.status < 400) names.counts.clear(name);
        return answer;
      } finally {
        end();
      }
    },
  };
}

function failures(clock: Clock, { free, firstDelayMs, delayMaxMs, drainMs, waitingMax }: typeof byName) {
  /** More than that would change no delay, and would only take longer to be forgotten. */
  const max = free + 1 + Math.ceil(Math.log2(delayMaxMs / firstDelayMs));
  const counts = leakyCounts(clock, { drainMs, max });
  function delayMs(party: string): number {
    const excess = counts.level(party) - free;
    return excess < 0 ? 0 : Math.min(firstDelayMs * 2 ** excess, delayMaxMs);
  }
  return { counts, delayMs, turns: turns(waitingMax) };
}
