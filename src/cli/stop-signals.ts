import { systemClock } from '../core/clock.ts';

/** One stop may arrive as several signals: from a service manager, a terminal and a launcher at the same time. */
const sameStopMs = 500;

interface StopActions {
  /** Lets running answers finish, or ends them within the grace, with a word. */
  readonly stop: (grace?: { readonly graceMs: number }) => void;
  /** Does not wait for that. */
  readonly endNow: () => void;
}

/** The first signal lets running answers finish, the second ends them with a word, the third does not wait for that. */
export function endOnSignals({ stop, endNow }: StopActions): { readonly hasBegun: () => boolean } {
  const signalsAt: number[] = [];
  const end = () => {
    const now = systemClock.elapsed();
    const last = signalsAt.at(-1);
    if (last !== undefined && now - last < sameStopMs) return;
    signalsAt.push(now);
    if (signalsAt.length > 2) return endNow();
    if (last === undefined) {
      console.log('Stopping: running answers may finish. Press Ctrl-C again to end them now.');
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

/** Commands end when nobody reads what they print. A gateway has said what it had to say, and serves on. */
export function goOnUnread(): void {
  process.stdout.removeAllListeners('error').on('error', () => {});
}
