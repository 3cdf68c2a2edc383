import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';

/**
 * The requests this process is serving, so that those of one key or one account can be ended. A request is served when it
 * is charged and recorded, which may be a moment after its client has seen the end.
 */
export interface RunningRequests {
  readonly count: number;
  enter(caller: Caller, gone: AbortSignal): RunningRequest;
  /** Ends the requests of a key or an account, by id: those that wait, those that stream. */
  cut(subject: string): void;
  /** From now on nobody waits for a turn: who does, or would have to, is told that this process is shutting down. */
  endWaiting(): void;
  /** Ends every request, now and from now on, with the same words. */
  endAll(): void;
  /** Resolves when none is left, or the time is over. */
  settled(patienceMs: number): Promise<void>;
}

export interface RunningRequest {
  /** Aborts when the client leaves, with the client's reason, or when the request is ended. */
  readonly signal: AbortSignal;
  /** Whoever makes the request wait for a turn at an upstream says so, and says when that is over. */
  readonly waits: (isWaiting: boolean) => void;
  /** Ends this one with an error, whether it waits or streams. */
  readonly end: (error: Error) => void;
  readonly leave: () => void;
}

interface Entry {
  readonly caller: Caller;
  readonly controller: AbortController;
  isWaiting: boolean;
}

export function runningRequests(clock: Clock): RunningRequests {
  const running = new Set<Entry>();
  let mode: 'serving' | 'without-waiting' | 'ending' = 'serving';
  let becameIdle = (): void => {};

  function endIfShuttingDown({ controller, isWaiting }: Entry): void {
    if (mode === 'ending' || (mode === 'without-waiting' && isWaiting)) {
      controller.abort(new GatewayError('shutting-down'));
    }
  }

  function change(next: 'without-waiting' | 'ending'): void {
    if (mode !== 'ending') mode = next;
    for (const entry of running) endIfShuttingDown(entry);
  }

  return {
    get count() {
      return running.size;
    },
    enter(caller, gone) {
      const entry: Entry = { caller, controller: new AbortController(), isWaiting: false };
      const follow = (): void => entry.controller.abort(gone.reason);
      if (gone.aborted) follow();
      else gone.addEventListener('abort', follow, { once: true });
      running.add(entry);
      endIfShuttingDown(entry);
      const waits = (isWaiting: boolean): void => {
        entry.isWaiting = isWaiting;
        endIfShuttingDown(entry);
      };
      const leave = (): void => {
        running.delete(entry);
        if (running.size === 0) becameIdle();
      };
      const end = (error: Error): void => entry.controller.abort(error);
      return { signal: entry.controller.signal, waits, end, leave };
    },
    cut(subject) {
      for (const { caller, controller } of running) {
        const { keyId, accountId } = caller.key;
        if (keyId === subject || accountId === subject) controller.abort(new GatewayError('key-revoked'));
      }
    },
    endWaiting: () => change('without-waiting'),
    endAll: () => change('ending'),
    settled(patienceMs) {
      if (running.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = clock.after(patienceMs, resolve);
        becameIdle = () => {
          clock.cancel(timer);
          resolve();
        };
      });
    },
  };
}
