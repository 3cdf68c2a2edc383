import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';

/** Who tries to get in: for whom, and from where. */
export interface Attempt {
  /** Left out where nobody is named. */
  readonly email?: string;
  readonly address: string;
}

/** Answers the impatient later and later, but answers them: nobody is locked out by someone else's guesses for long. */
export interface SlowDown {
  /** Counts the attempt as a failure until it is forgiven, so that many at once gain nothing; how long it has to wait. */
  begin(attempt: Attempt): number;
  /** It was the right person. */
  forgive(attempt: Attempt): void;
}

const failuresFree = { email: 5, address: 30 };
const firstDelayMs = 250;
const delayMaxMs = 8000;
const forgottenAfterMs = 15 * 60_000;
/** All there is to remember; who floods it with new names only forgets the oldest of them. */
const partiesMax = 10_000;

/** Behind one address may be a proxy and everyone: it has more attempts than a name has. */
export function slowDown(clock: Clock): SlowDown {
  const parties = new LRUCache<string, { failures: number; lastMs: number }>({ max: partiesMax });

  function failuresOf(party: string): number {
    const known = parties.peek(party);
    return known && clock.elapsed() - known.lastMs < forgottenAfterMs ? known.failures : 0;
  }

  return {
    begin(attempt) {
      const delays = partiesOf(attempt).map(([party, free]) => {
        const failures = failuresOf(party);
        parties.set(party, { failures: failures + 1, lastMs: clock.elapsed() });
        return delayAfter(failures - free);
      });
      return Math.max(...delays);
    },
    forgive(attempt) {
      for (const [party] of partiesOf(attempt)) {
        const failures = party.startsWith('address ') ? failuresOf(party) - 1 : 0;
        if (failures > 0) parties.set(party, { failures, lastMs: clock.elapsed() });
        else parties.delete(party);
      }
    },
  };
}

function partiesOf({ email, address }: Attempt): readonly (readonly [party: string, free: number])[] {
  const named = email === undefined ? [] : ([[`email ${email.toLowerCase()}`, failuresFree.email]] as const);
  return [[`address ${address}`, failuresFree.address], ...named];
}

function delayAfter(excess: number): number {
  return excess < 0 ? 0 : Math.min(firstDelayMs * 2 ** excess, delayMaxMs);
}
