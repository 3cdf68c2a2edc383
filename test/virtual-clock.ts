import type { Clock, Timer } from '../src/core/clock.ts';

/** Time that passes when the test says so. Between two timers everything that can be settled is. */
export interface VirtualClock extends Clock {
  pass(durationMs: number): Promise<void>;
  /** Passes until the promise is settled, and says how long that took. */
  until(promise: Promise<unknown>): Promise<number>;
}

interface Appointment extends Timer {
  readonly atMs: number;
  readonly work: () => void;
}

export function virtualClock(startMs = 1_800_000_000_000): VirtualClock {
  let nowMs = 0;
  let appointments: readonly Appointment[] = [];

  async function step(untilMs: number): Promise<boolean> {
    await promisesSettled();
    const [next] = appointments.toSorted((a, b) => a.atMs - b.atMs);
    if (!next || next.atMs > untilMs) return false;
    appointments = appointments.filter((each) => each !== next);
    nowMs = next.atMs;
    next.work();
    return true;
  }

  return {
    now: () => startMs + nowMs,
    elapsed: () => nowMs,
    after(delayMs, work) {
      const appointment = { atMs: nowMs + delayMs, work, unref() {} };
      appointments = [...appointments, appointment];
      return appointment;
    },
    cancel: (timer) => {
      appointments = appointments.filter((each) => each !== timer);
    },
    async pass(durationMs) {
      const untilMs = nowMs + durationMs;
      while (await step(untilMs)) {}
      nowMs = untilMs;
    },
    async until(promise) {
      const startedMs = nowMs;
      const state = { isOver: false };
      const over = (): void => void (state.isOver = true);
      promise.then(over, over);
      await promisesSettled();
      while (!state.isOver) {
        const isMore = await step(Number.POSITIVE_INFINITY);
        await promisesSettled();
        if (!isMore && !state.isOver) throw new Error('nothing is left that could settle it');
      }
      return nowMs - startedMs;
    },
  };
}

function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
