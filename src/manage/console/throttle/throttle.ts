import type { Clock } from '../../../core/time/clock.ts';
import type { Store } from '../../../platform/store/store.ts';
import { leakyCounts } from '../../../money/accounts/leaky-counts.ts';
import type { Pause } from '../parts.ts';
import { signInQueue, tooMany } from './sign-in-queue.ts';

/** An attempt to prove an identity. It may be a guess. */
interface ThrottledAttempt {
  /** The claimed identity. Attempts for the same name are checked one at a time. */
  readonly name: string;
  /** The client's IP address. Absent if the client has already shown more than a name, such as a session. */
  readonly address?: string | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

interface SlowDownOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly pause: Pause;
  /** Kind of secret. Failures of one kind do not delay another. */
  readonly realm: string;
}

/** For each name: guesses of one password. */
const byName = { free: 5, firstDelayMs: 250, delayMaxMs: 8000, drainMs: 180_000, waitingMax: 4 };
/**
 * For each address: the names that failed, each counted once. It slows clients that try one password with many names. A
 * proxy with many users may be behind an address, so the delay starts late and stays small.
 */
const byAddress = { free: 30, firstDelayMs: 250, delayMaxMs: 1000, drainMs: 60_000, waitingMax: 16 };

/** A count is read and written again if another process changed it meanwhile, up to this number of times. */
const triesMax = 20;

/** Delays attempts after failures, but never locks a name, so that an attacker cannot lock a user out. */
export function slowDown({ realm, ...parts }: SlowDownOptions) {
  const { pause } = parts;
  const names = failures({ ...parts, realm: `${realm} name` }, byName);
  const addresses = failures({ ...parts, realm: `${realm} address` }, byAddress);
  const drainMs = byAddress.drainMs * byAddress.free;
  /** Pairs of address and failed name, so that a name counts once for each address. */
  const pairs = leakyCounts({ ...parts, realm: `${realm} pair`, drainMs, max: 1 });

  /** Counts the name against the address. The returned function removes the count after a success. */
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

  /** An address with few failed names has no delay and no queue. */
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
    /** Runs `check` after the delay for earlier failures. A status below 400 is a success. */
    async attempt<Answer extends { readonly status: number }>(
      attempt: ThrottledAttempt,
      check: () => Promise<Answer>,
    ): Promise<Answer> {
      const { name, address = '', signal } = attempt;
      const release = await names.queue.enter(name, { party: address, signal });
      try {
        await waitAndCount(names, name, { pause, signal });
        const answer = await atAddress(attempt, check);
        if (answer.status < 400) await names.counts.clear(name);
        return answer;
      } finally {
        release();
      }
    },
  };
}

/**
 * Waits for the delay of the failures so far, and counts one more in advance. If another process counted an attempt
 * during the wait, it waits again, so that guessing at several processes is not faster than at one.
 */
async function waitAndCount(
  { counts, delayMs }: ReturnType<typeof failures>,
  party: string,
  { pause, signal }: { readonly pause: Pause; readonly signal: AbortSignal },
): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const seen = await counts.read(party);
    if (delayMs(seen.level) > 0) await pause(delayMs(seen.level), signal);
    if (await counts.add(party, seen)) return;
  }
  throw tooMany();
}

type ThrottleParts = Pick<SlowDownOptions, 'store' | 'clock' | 'realm'>;

function failures(parts: ThrottleParts, { free, firstDelayMs, delayMaxMs, drainMs, waitingMax }: typeof byName) {
  /** A higher count would not increase the delay, only take longer to drain. */
  const max = free + 1 + Math.ceil(Math.log2(delayMaxMs / firstDelayMs));
  const counts = leakyCounts({ ...parts, drainMs, max });
  function delayMs(level: number): number {
    const excess = level - free;
    return excess < 0 ? 0 : Math.min(firstDelayMs * 2 ** excess, delayMaxMs);
  }
  return { counts, delayMs, queue: signInQueue(waitingMax) };
}
