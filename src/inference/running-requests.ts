import { assert } from '../core/assert.ts';
import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { Roster } from '../core/roster.ts';

/**
 * The requests this process is serving, so that those of one key or one account can be ended. A request is served when it
 * is charged and recorded, which may be a moment after its client has seen the end.
 */
export interface RunningRequests {
  readonly count: number;
  /** Whether requests are ended as soon as they come. */
  readonly isEnding: boolean;
  enter(caller: Caller, gone: AbortSignal): RunningRequest;
  /** Takes in one that needs no signal and never waits, unless requests are ended. Returns its place, which it says when it leaves. */
  add(request: Endable): number;
  remove(request: Endable, place: number): void;
  /** Ends the requests of a key or an account, by id: those that wait, those that stream. */
  cut(subject: string): void;
  /** From now on nobody waits for a turn: who does, or would have to, is told that this process is shutting down. */
  endWaiting(): void;
  /** Ends every request, now and from now on, with the same words. */
  endAll(): void;
  /** Resolves when none is left, or the time is over. */
  settled(timeoutMs: number): Promise<void>;
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

/** A request as those see it who may end it. */
export interface Endable {
  readonly caller: Caller;
  /** Whether it waits for a turn at an upstream. */
  readonly isWaiting: boolean;
  cutOff(error: Error): void;
}

export function runningRequests(clock: Clock): RunningRequests {
  const running = new Roster<Endable>();
  let mode: 'serving' | 'without-waiting' | 'ending' = 'serving';
  let becameIdle = (): void => {};

  function endIfShuttingDown(request: Endable): void {
    if (mode === 'ending' || (mode === 'without-waiting' && request.isWaiting)) {
      request.cutOff(new GatewayError('shutting-down'));
    }
  }

  function change(next: 'without-waiting' | 'ending'): void {
    if (mode !== 'ending') mode = next;
    for (const [request] of running.entries()) endIfShuttingDown(request);
  }

  function add(request: Endable): number {
    assert(mode !== 'ending', 'nobody comes in while requests are ended');
    return running.add(request);
  }

  function remove(request: Endable, place: number): void {
    if (running.remove(request, place) && running.size === 0) becameIdle();
  }

  return {
    get count() {
      return running.size;
    },
    get isEnding() {
      return mode === 'ending';
    },
    add,
    remove,
    enter(caller, gone) {
      const controller = new AbortController();
      const end = (error: Error): void => controller.abort(error);
      const entry = { caller, isWaiting: false, cutOff: end };
      const follow = (): void => controller.abort(gone.reason);
      if (gone.aborted) follow();
      else gone.addEventListener('abort', follow, { once: true });
      const place = running.add(entry);
      endIfShuttingDown(entry);
      const waits = (isWaiting: boolean): void => {
        entry.isWaiting = isWaiting;
        endIfShuttingDown(entry);
      };
      return { signal: controller.signal, waits, end, leave: () => remove(entry, place) };
    },
    cut(subject) {
      for (const [request] of running.entries()) {
        const { keyId, accountId } = request.caller.key;
        if (keyId === subject) request.cutOff(new GatewayError('key-revoked'));
        else if (accountId === subject) request.cutOff(new GatewayError('suspended-midway'));
      }
    },
    endWaiting: () => change('without-waiting'),
    endAll: () => change('ending'),
    settled(timeoutMs) {
      if (running.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = clock.after(timeoutMs, resolve);
        becameIdle = () => {
          clock.cancel(timer);
          resolve();
        };
      });
    },
  };
}
