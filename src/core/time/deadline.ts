import type { Clock } from './clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';

/** How long a request waits for a decision of the store: until a monotonic time, or until it is aborted. */
export interface Deadline {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Calls `over` once, with the error for the request, when the deadline has passed. Returns a function that cancels. */
export function whenOver(clock: Clock, { deadlineMs, signal }: Deadline, over: (error: unknown) => void): () => void {
  const onAbort = (): void => end(signal?.reason);
  const leftMs = Math.min(timerMaxMs, Math.max(0, deadlineMs - clock.elapsed()));
  const timer = clock.after(leftMs, () => end(storeUnreachable()));
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) queueMicrotask(onAbort);
  function stop(): void {
    clock.cancel(timer);
    signal?.removeEventListener('abort', onAbort);
  }
  function end(error: unknown): void {
    stop();
    over(error);
  }
  return stop;
}

/** The error for a request that waited too long for a decision that only the store can make. */
export function storeUnreachable(cause?: unknown): GatewayError {
  const detail = 'The gateway could not reach its database in time to serve this request. Please try again later.';
  return new GatewayError('overloaded', { detail, cause });
}

/** The longest delay of a timer, about 25 days. No request waits longer. */
const timerMaxMs = 2 ** 31 - 1;
