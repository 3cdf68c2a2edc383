import type { Clock } from '../core/time/clock.ts';
import { checkIntervalMs, Pressure, type PressureSources } from '../http/load/pressure.ts';
import { blockWatch } from '../telemetry/event-loop-lag.ts';
import type { Log } from '../telemetry/logs/log.ts';
import { shortageWatch } from '../telemetry/shortage-watch.ts';
import type { ProcessStats } from '../telemetry/process-stats.ts';

/** Monitors the process itself, a few times a second. */
export interface ProcessWatch {
  readonly pressure: Pressure;
  /** The longest recent block of the event loop, if clients could have noticed it. */
  readonly recentBlockMs: number | undefined;
  /** A recent resource shortage of the machine, in the operating system's words. */
  readonly recentShortage: string | undefined;
  /** Reports a resource shortage. */
  noteShortage(message: string): void;
  start(): void;
  stop(): void;
}

interface ProcessWatchParts {
  readonly signs: ProcessStats;
  readonly clock: Clock;
  readonly log: Log;
  /** Bytes of queued requests, and their limit. */
  readonly queue: PressureSources['queue'];
  /** Called at every check with its delay in milliseconds. */
  readonly onDelay?: ((ms: number) => void) | undefined;
}

export function processWatch({ signs, clock, log, queue, onDelay }: ProcessWatchParts): ProcessWatch {
  const onError = (error: unknown) => log.error({ error: String(error) }, 'the process monitor failed');
  const pressure = new Pressure({ memoryShare: () => signs.memoryShare(), queue, onError });
  const blocks = blockWatch(signs, clock);
  const shortages = shortageWatch(clock, (shortage) => log.error({ shortage }, 'this machine is short of a resource'));
  if (onDelay) pressure.onCheck(measureDelay(clock, onDelay));
  pressure.onCheck(() => {
    blocks.check();
    const shortage = signs.shortage();
    if (shortage !== undefined) shortages.note(shortage);
  });
  return {
    pressure,
    get recentBlockMs() {
      return blocks.recentBlockMs;
    },
    get recentShortage() {
      return shortages.recent;
    },
    noteShortage: (message) => shortages.note(message),
    start: () => pressure.start(),
    stop() {
      pressure.stop();
      signs.stop();
    },
  };
}

/** A check that runs late waited for the event loop. One that runs early makes up for a late one before it. */
function measureDelay(clock: Pick<Clock, 'elapsed'>, onDelay: (ms: number) => void): () => void {
  let dueMs: number | undefined;
  return () => {
    const nowMs = clock.elapsed();
    if (dueMs !== undefined) onDelay(Math.max(0, nowMs - dueMs));
    dueMs = nowMs + checkIntervalMs;
  };
}
