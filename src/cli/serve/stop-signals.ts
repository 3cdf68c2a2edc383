import { systemClock } from '../../core/time/clock.ts';

/** Signals within this time count as one: a service manager, a terminal and a launcher may all send one. */
const sameStopMs = 500;

interface StopActions {
  /** Lets running answers finish; after the grace, if given, ends them with an error. */
  readonly stop: (grace?: { readonly graceMs: number }) => void;
  readonly endNow: () => void;
}

/** The first signal lets running answers finish, the second ends them with an error, the third exits at once. */
export function endOnSignals({ stop, endNow }: StopActions): { readonly hasBegun: () => boolean } {
  const signalsAt: number[] = [];
  const end = () => {
    const now = systemClock.elapsed();
    const last = signalsAt.at(-1);
    if (last !== undefined && now - last < sameStopMs) return;
    signalsAt.push(now);
    if (signalsAt.length > 2) return endNow();
    if (last === undefined) {
      console.log('Stopping: running answers may finish. Press Ctrl-C again to abort them.');
      stop();
    } else {
      console.log('Stopping now.');
      stop({ graceMs: 0 });
    }
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  return { hasBegun: () => signalsAt.length > 0 };
}

/** Ignores a closed stdout from now on. Other commands exit in that case, but a gateway keeps serving. */
export function ignoreClosedStdout(): void {
  process.stdout.removeAllListeners('error').on('error', () => {});
}
