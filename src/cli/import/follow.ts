import type { Clock } from '../../core/time/clock.ts';

interface Rounds<Done> {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly stopped: AbortSignal;
  /** Imports once. */
  readonly round: () => Promise<Done>;
  readonly done: (done: Done) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Imports again and again until it is stopped. The first round must succeed: a wrong address would otherwise be retried for
 * ever. A later round that fails is reported, and the next one tries again. A running round is completed.
 */
export async function repeat<Done>({ clock, everyMs, stopped, round, done, failed }: Rounds<Done>): Promise<void> {
  done(await round());
  for (;;) {
    await pause(clock, everyMs, stopped);
    if (stopped.aborted) return;
    await round().then(done, failed);
  }
}

function pause(clock: Clock, ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) return resolve();
    const timer = clock.after(ms, () => {
      stopped.removeEventListener('abort', stop);
      resolve();
    });
    const stop = (): void => {
      clock.cancel(timer);
      resolve();
    };
    stopped.addEventListener('abort', stop);
  });
}
