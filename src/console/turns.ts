import { GatewayError } from '../core/gateway-error.ts';
import { reason } from '../core/reasons/reason.ts';

/** Lets one after another through, for each name. */
export interface SignInQueue {
  /** Waits for the turn, and gives what ends it. Rejects if too many wait already, or once the signal aborts. */
  take(name: string, by: QueuedSignIn): Promise<() => void>;
}

/** Who waits. */
export interface QueuedSignIn {
  /** Where they come from: nobody fills a line by coming often. */
  readonly party: string;
  readonly signal: AbortSignal;
}

interface SignInWaiter extends QueuedSignIn {
  readonly turn: PromiseWithResolvers<void>;
}

/** Those who have their turn or wait for it, whatever the name. Beyond it someone floods us with names. */
const presentMax = 1000;

/** Turns for which so many may wait in line for each name. In a full line the party with the most in it gives way. */
export function turns(waitingMax: number): SignInQueue {
  const lines = new Map<string, SignInWaiter[]>();
  let present = 0;

  function leave(line: SignInWaiter[], waiter: SignInWaiter): boolean {
    const index = line.indexOf(waiter);
    if (index < 0) return false;
    line.splice(index, 1);
    return true;
  }

  function makeRoom(line: SignInWaiter[], party: string): void {
    if (present < presentMax && line.length < waitingMax) return;
    const loser = crowded(line, party);
    if (!loser) throw tooMany();
    leave(line, loser);
    present -= 1;
    loser.turn.reject(tooMany());
  }

  function end(name: string): void {
    const line = lines.get(name) ?? [];
    const [next] = line;
    present -= 1;
    if (!next) lines.delete(name);
    else {
      leave(line, next);
      next.turn.resolve();
    }
  }

  async function wait(line: SignInWaiter[], by: QueuedSignIn): Promise<void> {
    const waiter: SignInWaiter = { ...by, turn: Promise.withResolvers<void>() };
    line.push(waiter);
    const left = () => {
      if (!leave(line, waiter)) return;
      present -= 1;
      waiter.turn.reject(by.signal.reason);
    };
    by.signal.addEventListener('abort', left, { once: true });
    await waiter.turn.promise.finally(() => by.signal.removeEventListener('abort', left));
  }

  return {
    async take(name, by) {
      by.signal.throwIfAborted();
      const line = lines.get(name);
      makeRoom(line ?? [], by.party);
      present += 1;
      if (line) await wait(line, by);
      else lines.set(name, []);
      return () => end(name);
    },
  };
}

/** The last to come of the party with the most in line, if it has more than this one would have. */
function crowded(line: readonly SignInWaiter[], party: string): SignInWaiter | undefined {
  const count = (of: string) => line.filter((waiter) => waiter.party === of).length;
  const last = line.toSorted((one, other) => count(other.party) - count(one.party))[0];
  if (!last || count(last.party) <= count(party) + 1) return undefined;
  return line.findLast((waiter) => waiter.party === last.party);
}

/** Says that others like this one wait already. */
export function tooMany(): GatewayError {
  return new GatewayError('overloaded', {
    reason: reason('too_many_attempts'),
  });
}
