import type { Clock } from './clock.ts';

interface TimeLimit {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Also ends the wait. */
  readonly signal?: AbortSignal;
}

/** Returns the result of a call, or rejects after the timeout. A later result of the call is ignored. */
export async function within<Result>(call: Promise<Result>, { clock, timeoutMs, signal }: TimeLimit): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  const timer = clock.after(timeoutMs, () => aborted.reject(new Error('there was no answer in time')));
  timer.unref();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([call, aborted.promise]);
  } finally {
    clock.cancel(timer);
    signal?.removeEventListener('abort', abort);
  }
}
