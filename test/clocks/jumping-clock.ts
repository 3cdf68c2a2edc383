import { type Clock, systemClock, type Timer } from '../../src/core/time/clock.ts';

/**
 * The system clock, on which a test can make time jump. So a test does not wait for timeouts, and can use long ones
 * where nothing must time out. The wall clock does not jump.
 */
export interface JumpingClock extends Clock {
  /** Runs the timers that have become due, in order. */
  jump(durationMs: number): void;
}

interface DueWork {
  readonly at: number;
  readonly work: () => void;
  timer: Timer;
  /** Whether the timer is unreferenced: it does not keep the process alive. */
  isIdle: boolean;
}

export function jumpingClock(): JumpingClock {
  const pending = new Map<Timer, DueWork>();
  let skippedMs = 0;
  const elapsed = (): number => systemClock.elapsed() + skippedMs;

  function run(handle: Timer): void {
    const due = pending.get(handle);
    if (!due) return;
    pending.delete(handle);
    systemClock.cancel(due.timer);
    due.work();
  }

  function reschedule(handle: Timer, due: DueWork, delayMs: number): void {
    systemClock.cancel(due.timer);
    due.timer = systemClock.after(delayMs, () => run(handle));
    if (due.isIdle) due.timer.unref();
  }

  return {
    now: systemClock.now,
    elapsed,
    after(delayMs, work) {
      const timer = systemClock.after(delayMs, () => run(handle));
      const due: DueWork = { at: elapsed() + delayMs, work, timer, isIdle: false };
      const handle: Timer = {
        unref() {
          due.isIdle = true;
          due.timer.unref();
        },
      };
      pending.set(handle, due);
      return handle;
    },
    cancel(handle) {
      const due = handle && pending.get(handle);
      if (!due) return;
      pending.delete(handle);
      systemClock.cancel(due.timer);
    },
    jump(durationMs) {
      skippedMs += durationMs;
      const now = elapsed();
      for (const [handle, due] of [...pending].toSorted(([, a], [, b]) => a.at - b.at)) {
        if (due.at <= now) run(handle);
        else reschedule(handle, due, due.at - now);
      }
    },
  };
}
