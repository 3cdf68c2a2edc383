import { assert } from 'chat-formats/assert.ts';
import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { Roster } from '../../core/roster.ts';

/**
 * The in-flight requests of this process. They can be aborted by key or account. A request is in flight until it is
 * charged and recorded, which may be shortly after its client has received the end.
 */
export interface RunningRequests {
  readonly count: number;
  /** Whether new requests are aborted on arrival. */
  readonly isEnding: boolean;
  enter(caller: Caller, gone: AbortSignal): RunningRequest;
  /**
   * Adds a request that needs no signal and never waits. Must not be called while `isEnding`. Returns its index for
   * `remove`.
   */
  add(request: AbortableRequest): number;
  remove(request: AbortableRequest, index: number): void;
  /** Aborts the requests of a key or an account, given its id, whether they wait or stream. */
  cut(subject: string): void;
  /** From now on, aborts requests that wait for a slot or would have to, with `shutting-down`. */
  endWaiting(): void;
  /** From now on, aborts every request with `shutting-down`. */
  endAll(): void;
  /** Resolves when no request is left, or after the timeout. */
  settled(timeoutMs: number): Promise<void>;
}

export interface RunningRequest {
  /** Aborts when the client leaves, with the client's reason, or when the request is aborted here. */
  readonly signal: AbortSignal;
  /** Must be called when the request starts and when it stops waiting for a slot at an upstream. */
  readonly waits: (isWaiting: boolean) => void;
  /** Called before each call of a provider. May abort the signal. */
  readonly willCall?: (() => void) | undefined;
  /** Aborts this request with an error, whether it waits or streams. */
  readonly end: (error: Error) => void;
  readonly leave: () => void;
}

/** A request that can be aborted. */
export interface AbortableRequest {
  readonly caller: Caller;
  /** Whether it waits for a slot at an upstream. */
  readonly isWaiting: boolean;
  abort(error: Error): void;
}

export function runningRequests(clock: Clock): RunningRequests {
  const running = new Roster<AbortableRequest>();
  let mode: 'serving' | 'without-waiting' | 'ending' = 'serving';
  let becameIdle = (): void => {};

  function endIfShuttingDown(request: AbortableRequest): void {
    if (mode === 'ending' || (mode === 'without-waiting' && request.isWaiting)) {
      request.abort(new GatewayError('shutting-down'));
    }
  }

  function change(next: 'without-waiting' | 'ending'): void {
    if (mode !== 'ending') mode = next;
    for (const [request] of running.entries()) endIfShuttingDown(request);
  }

  function add(request: AbortableRequest): number {
    assert(mode !== 'ending', 'no request is added while all are aborted');
    return running.add(request);
  }

  function remove(request: AbortableRequest, index: number): void {
    if (running.remove(request, index) && running.size === 0) becameIdle();
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
      const entry = { caller, isWaiting: false, abort: end };
      const follow = (): void => controller.abort(gone.reason);
      if (gone.aborted) follow();
      else gone.addEventListener('abort', follow, { once: true });
      const index = running.add(entry);
      endIfShuttingDown(entry);
      const waits = (isWaiting: boolean): void => {
        entry.isWaiting = isWaiting;
        endIfShuttingDown(entry);
      };
      return { signal: controller.signal, waits, end, leave: () => remove(entry, index) };
    },
    cut(subject) {
      for (const [request] of running.entries()) {
        const { keyId, accountId } = request.caller.key;
        if (keyId === subject) request.abort(new GatewayError('key-revoked'));
        else if (accountId === subject) request.abort(new GatewayError('suspended-midway'));
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
