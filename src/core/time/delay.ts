import type { Clock } from './clock.ts';

/** Resolves after the time, or rejects with the signal's reason as soon as the signal aborts. */
export function delay(clock: Clock, durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const abort = (): void => {
      clock.cancel(timer);
      reject(signal?.reason as Error);
    };
    const timer = clock.after(durationMs, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
