import { systemClock } from '../core/clock.ts';
import type { RunTasks } from './run-tasks.ts';

/** Says how long each run took, in milliseconds, whether it went well or not. */
export function timedTasks(run: RunTasks, took: (ms: number) => void): RunTasks {
  return async (tasks) => {
    const beganMs = systemClock.elapsed();
    try {
      return await run(tasks);
    } finally {
      took(systemClock.elapsed() - beganMs);
    }
  };
}
