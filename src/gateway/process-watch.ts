import type { Clock } from '../core/clock.ts';
import { lookEveryMs, Pressure, type PressureSources } from '../http/pressure.ts';
import { blockWatch } from '../telemetry/block-watch.ts';
import type { Log } from '../telemetry/log.ts';
import { shortageWatch } from '../telemetry/shortage-watch.ts';
import type { VitalSigns } from '../telemetry/vital-signs.ts';

/** How the process itself is doing, looked at a few times a second. */
export interface ProcessWatch {
  readonly pressure: Pressure;
  /** The longest recent time in which nobody was answered, if anybody would have noticed. */
  readonly recentBlockMs: number | undefined;
  /** What the machine was short of a moment ago, in the system's words. */
  readonly recentShortage: string | undefined;
  /** Somebody met a shortage of the machine. */
  noteShortage(message: string): void;
  start(): void;
  stop(): void;
}

interface ProcessWatchParts {
  readonly signs: VitalSigns;
  readonly clock: Clock;
  readonly log: Log;
  /** What waits for its turn, and how much of it may. */
  readonly queue: PressureSources['queue'];
  /** Hears at every look how late it was. */
  readonly delayed?: ((ms: number) => void) | undefined;
}

export function processWatch({ signs, clock, log, queue, delayed }: ProcessWatchParts): ProcessWatch {
  const onError = (error: unknown) => log.error({ error: String(error) }, 'the watch over the process failed');
  const pressure = new Pressure({ memoryShare: () => signs.memoryShare(), queue, onError });
  const blocks = blockWatch(signs, clock);
  const shortages = shortageWatch(clock, (shortage) => log.error({ shortage }, 'this machine is short of something'));
  if (delayed) pressure.onLook(lateness(clock, delayed));
  pressure.onLook(() => {
    blocks.look();
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

/** A look that comes late waited for the event loop; one that comes early makes up for a late one before it. */
function lateness(clock: Pick<Clock, 'elapsed'>, delayed: (ms: number) => void): () => void {
  let dueMs: number | undefined;
  return () => {
    const nowMs = clock.elapsed();
    if (dueMs !== undefined) delayed(Math.max(0, nowMs - dueMs));
    dueMs = nowMs + lookEveryMs;
  };
}
