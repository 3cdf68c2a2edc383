import type { Clock } from './clock.ts';
import { GatewayError } from './gateway-error.ts';

/** How long a request waits for what only the store can decide: until a moment of the monotonic clock, or until it is ended. */
export interface Deadline {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Calls once, with what the request is to be told, when the deadline is over. Returns how to stop looking. */
export function whenOver(clock: Clock, { deadlineMs, signal }: Deadline, over: (error: unknown) => void): () => void {
  const left = (): void => end(signal?.reason);
  const leftMs = Math.min(timerMaxMs, Math.max(0, deadlineMs - clock.elapsed()));
  const timer = clock.after(leftMs, () => end(storeAway()));
  signal?.addEventListener('abort', left);
  if (signal?.aborted) queueMicrotask(left);
  function stop(): void {
    clock.cancel(timer);
    signal?.removeEventListener('abort', left);
  }
  function end(error: unknown): void {
    stop();
    over(error);
  }
  return stop;
}

/** What a request is told that only the store could have decided upon, and that has waited for it as long as it may. */
export function storeAway(cause?: unknown): GatewayError {
  const detail =
    'The gateway could not reach its database in time to decide upon this request. Please try again later.';
  return new GatewayError('overloaded', { detail, cause });
}

/** A timer takes no longer span; beyond it, weeks, nobody waits. */
const timerMaxMs = 2 ** 31 - 1;
