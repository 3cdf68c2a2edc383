import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

interface SignInQueueEntry {
  /** Source of the attempt. A party with many entries is evicted first, so that it cannot fill a queue alone. */
  readonly party: string;
  readonly signal: AbortSignal;
}

interface WaitingEntry extends SignInQueueEntry {
  readonly admission: PromiseWithResolvers<void>;
}

/** Admitted and waiting entries of all names. Protects against a flood of different names. */
const entriesMax = 1000;

/**
 * Admits one attempt at a time for each name, and at most `waitingMax` wait. If the queue is full, the party with the
 * most entries loses one.
 */
export function signInQueue(waitingMax: number) {
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

  async function wait(queue: WaitingEntry[], by: SignInQueueEntry): Promise<void> {
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
    /** Waits for admission and returns the function that ends it. Rejects if the queue is full or the signal aborts. */
    async enter(name: string, by: SignInQueueEntry): Promise<() => void> {
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

/** The newest entry of the largest party, if that party has more entries than `party` would have. */
function entryToEvict(queue: readonly WaitingEntry[], party: string): WaitingEntry | undefined {
  const count = (of: string) => queue.filter((entry) => entry.party === of).length;
  const largest = queue.toSorted((one, other) => count(other.party) - count(one.party))[0];
  if (!largest || count(largest.party) <= count(party) + 1) return undefined;
  return queue.findLast((entry) => entry.party === largest.party);
}

export function tooMany(): GatewayError {
  return new GatewayError('overloaded', { reason: reason('too_many_attempts') });
}
