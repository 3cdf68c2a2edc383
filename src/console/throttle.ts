import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { leakyCounts } from './leaky-counts.ts';
import type { Pause } from './parts.ts';
import { signInQueue, tooMany } from './sign-in-queue.ts';

/** Someone's proof of who they are, which may be a guess. */
export interface ThrottledAttempt {
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
  attempt<Answer extends { readonly status: number }>(
    attempt: ThrottledAttempt,
    check: () => Promise<Answer>,
  ): Promise<Answer>;
}

export interface SlowDownOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly pause: Pause;
  /** What is guessed: failures of one kind do not slow another. */
  readonly realm: string;
}

/** For one name: guesses of one password. */
const byName = { free: 5, firstDelayMs: 250, delayMaxMs: 8000, drainMs: 180_000, waitingMax: 4 };
/**
 * For one address: names it failed for, each counted once. Behind an address may be a proxy and everyone, so it is slowed
 * late, and little: it is there for those who try one password with many names.
 */
const byAddress = { free: 30, firstDelayMs: 250, delayMaxMs: 1000, drainMs: 60_000, waitingMax: 16 };

/** How often others, at other processes, may have been looked at while one waited. */
const triesMax = 20;

export function slowDown({ realm, ...parts }: SlowDownOptions): SlowDown {
  const { pause } = parts;
  const names = failures({ ...parts, realm: `${realm} name` }, byName);
  const addresses = failures({ ...parts, realm: `${realm} address` }, byAddress);
  /** Names that failed at an address, so that one name counts there once. */
  const pairs = leakyCounts({
    ...parts,
    realm: `${realm} pair`,
    drainMs: byAddress.drainMs * byAddress.free,
    max: 1,
  });

  /**
   * Waits as long as the failures so far have earned, and counts one more in advance. Whoever was looked at meanwhile, at
   * whichever process, makes everybody else wait again: what is guessed at many is as slow as at one.
   */
  async function waitAndCount({ counts, delayMs }: ReturnType<typeof failures>, party: string, signal: AbortSignal) {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const seen = await counts.read(party);
      if (delayMs(seen.level) > 0) await pause(delayMs(seen.level), signal);
      if (await counts.add(party, seen)) return;
    }
    throw tooMany();
  }

  /** Counts the name against the address until it proves right. */
  async function countName(address: string, name: string): Promise<() => Promise<void>> {
    const pair = `${address} ${name}`;
    const seen = await pairs.read(pair);
    if (seen.level > 0 || !(await pairs.add(pair, seen))) return () => Promise.resolve();
    for (let tries = 0; tries < triesMax; tries += 1) {
      if (await addresses.counts.add(address, await addresses.counts.read(address))) break;
    }
    return async () => {
      await pairs.clear(pair);
      await addresses.counts.subtract(address);
    };
  }

  /** An address that fails for few names is none that anybody has to wait for. */
  async function atAddress<Answer extends { readonly status: number }>(
    { address, name, signal }: ThrottledAttempt,
    check: () => Promise<Answer>,
  ): Promise<Answer> {
    if (address === undefined) return check();
    const delayMs = async () => addresses.delayMs((await addresses.counts.read(address)).level);
    const release = (await delayMs()) > 0 ? await addresses.queue.enter(address, { party: name, signal }) : () => {};
    try {
      const wait = await delayMs();
      if (wait > 0) await pause(wait, signal);
      const uncount = await countName(address, name);
      const answer = await check();
      if (answer.status < 400) await uncount();
      return answer;
    } finally {
      release();
    }
  }

  return {
    async attempt(attempt, check) {
      const { name, address = '', signal } = attempt;
      const release = await names.queue.enter(name, { party: address, signal });
      try {
        await waitAndCount(names, name, signal);
        const answer = await atAddress(attempt, check);
        if (answer.status < 400) await names.counts.clear(name);
        return answer;
      } finally {
        release();
      }
    },
  };
}

type ThrottleParts = Pick<SlowDownOptions, 'store' | 'clock' | 'realm'>;

function failures(parts: ThrottleParts, { free, firstDelayMs, delayMaxMs, drainMs, waitingMax }: typeof byName) {
  /** More than that would change no delay, and would only take longer to be forgotten. */
  const max = free + 1 + Math.ceil(Math.log2(delayMaxMs / firstDelayMs));
  const counts = leakyCounts({ ...parts, drainMs, max });
  function delayMs(level: number): number {
    const excess = level - free;
    return excess < 0 ? 0 : Math.min(firstDelayMs * 2 ** excess, delayMaxMs);
  }
  return { counts, delayMs, queue: signInQueue(waitingMax) };
}
