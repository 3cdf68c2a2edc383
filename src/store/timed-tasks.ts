import { systemClock } from '../core/clock.ts';
import type { RunTasks } from './run-tasks.ts';

/** Reports the duration of each run in milliseconds, also of a failed run. */
export function timedTasks(run: RunTasks, onDuration: (ms: number) => void): RunTasks {
  return async (tasks) => {
    const beganMs = systemClock.elapsed();
    try {
      return await run(tasks);
    } finally {
      onDuration(systemClock.elapsed() - beganMs);
    }
  };
}
