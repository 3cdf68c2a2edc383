import type { Caller } from '../core/caller.ts';
import { GatewayError } from '../core/gateway-error.ts';

/**
 * The requests this process is serving, so that those of one key or one account can be ended. A request is served when it
 * is charged and recorded, which may be a moment after its client has seen the end.
 */
export interface RunningRequests {
  enter(caller: Caller, gone: AbortSignal): RunningRequest;
  /** Ends the requests of a key or an account, by id: those that wait, those that stream. */
  cut(subject: string): void;
  /** Resolves when none is left, or the time is over. */
  settled(patienceMs: number): Promise<void>;
}

export interface RunningRequest {
  /** Aborts when the client leaves, with the client's reason, or when the request is cut. */
  readonly signal: AbortSignal;
  readonly leave: () => void;
}

export function runningRequests(): RunningRequests {
  const running = new Set<{ readonly caller: Caller; readonly controller: AbortController }>();
  let becameIdle = (): void => {};
  return {
    enter(caller, gone) {
      const entry = { caller, controller: new AbortController() };
      const follow = (): void => entry.controller.abort(gone.reason);
      if (gone.aborted) follow();
      else gone.addEventListener('abort', follow, { once: true });
      running.add(entry);
      const leave = (): void => {
        running.delete(entry);
        if (running.size === 0) becameIdle();
      };
      return { signal: entry.controller.signal, leave };
    },
    cut(subject) {
      for (const { caller, controller } of running) {
        const { keyId, accountId } = caller.key;
        if (keyId === subject || accountId === subject) controller.abort(new GatewayError('key-revoked'));
      }
    },
    settled(patienceMs) {
      if (running.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, patienceMs);
        becameIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
