import { GatewayError } from '../core/gateway-error.ts';
import { reason } from '../core/reasons/reason.ts';

/** Lets one after another through, for each name. */
export interface SignInQueue {
  /** Waits for the turn, and gives what ends it. Rejects if too many wait already, or once the signal aborts. */
  enter(name: string, by: QueueEntry): Promise<() => void>;
}

/** Who waits. */
export interface QueueEntry {
  /** Where they come from: nobody fills a line by coming often. */
  readonly party: string;
  readonly signal: AbortSignal;
}

interface WaitingEntry extends QueueEntry {
  readonly admission: PromiseWithResolvers<void>;
}

/** Those who have their turn or wait for it, whatever the name. Beyond it someone floods us with names. */
const entriesMax = 1000;

/** Turns for which so many may wait in line for each name. In a full line the party with the most in it gives way. */
export function signInQueue(waitingMax: number): SignInQueue {
  const queues = new Map<string, WaitingEntry[]>();
  let entries = 0;

  function removeFrom(queue: WaitingEntry[], entry: WaitingEntry): boolean {
    const index = queue.indexOf(entry);
    if (index < 0) return false;
    queue.splice(index, 1);
    return true;
  }

  function evictIfFull(queue: WaitingEntry[], party: string): void {
    if (entries < entriesMax && queue.length < waitingMax) return;
    const evicted = entryToEvict(queue, party);
    if (!evicted) throw tooMany();
    removeFrom(queue, evicted);
    entries -= 1;
    evicted.admission.reject(tooMany());
  }

  function release(name: string): void {
    const queue = queues.get(name) ?? [];
    const [next] = queue;
    entries -= 1;
    if (!next) queues.delete(name);
    else {
      removeFrom(queue, next);
      next.admission.resolve();
    }
  }

  async function wait(queue: WaitingEntry[], by: QueueEntry): Promise<void> {
    const entry: WaitingEntry = { ...by, admission: Promise.withResolvers<void>() };
    queue.push(entry);
    const leave = () => {
      if (!removeFrom(queue, entry)) return;
      entries -= 1;
      entry.admission.reject(by.signal.reason);
    };
    by.signal.addEventListener('abort', leave, { once: true });
    await entry.admission.promise.finally(() => by.signal.removeEventListener('abort', leave));
  }

  return {
    async enter(name, by) {
      by.signal.throwIfAborted();
      const queue = queues.get(name);
      evictIfFull(queue ?? [], by.party);
      entries += 1;
      if (queue) await wait(queue, by);
      else queues.set(name, []);
      return () => release(name);
    },
  };
}

/** The last to come of the party with the most in line, if it has more than this one would have. */
function entryToEvict(queue: readonly WaitingEntry[], party: string): WaitingEntry | undefined {
  const count = (of: string) => queue.filter((entry) => entry.party === of).length;
  const largest = queue.toSorted((one, other) => count(other.party) - count(one.party))[0];
  if (!largest || count(largest.party) <= count(party) + 1) return undefined;
  return queue.findLast((entry) => entry.party === largest.party);
}

/** Says that others like this one wait already. */
export function tooMany(): GatewayError {
  return new GatewayError('overloaded', {
    reason: reason('too_many_attempts'),
  });
}
