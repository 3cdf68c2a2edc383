import type { Clock } from '../core/time/clock.ts';
import { checkIntervalMs, Pressure, type PressureSources } from '../serving/http/load/pressure.ts';
import type { Log } from '../operate/telemetry/logs/log.ts';
import type { ProcessStats } from '../operate/telemetry/process-stats.ts';

interface ProcessWatchParts {
  readonly signs: ProcessStats;
  readonly clock: Clock;
  readonly log: Log;
  readonly queue: PressureSources['queue'];
  /** Called at every check with its delay in milliseconds. */
  readonly onDelay?: ((ms: number) => void) | undefined;
}

/** Shorter blocks are normal load, not a stall. */
const noticeableMs = 1000;

/** Monitors the process itself, a few times a second. */
export function processWatch({ signs, clock, log, queue, onDelay }: ProcessWatchParts) {
  const onError = (error: unknown) => log.error({ error: String(error) }, 'the process monitor failed');
  const pressure = new Pressure({ memoryShare: () => signs.memoryShare(), queue, onError });
  const block = new Recent<number>(clock);
  const shortage = new Recent<string>(clock);
  /** Logged once per shortage, regardless of how many errors it causes. */
  const noteShortage = (message: string): void => {
    if (shortage.value === undefined) log.error({ shortage: message }, 'this machine is short of a resource');
    shortage.note(message);
  };
  if (onDelay) pressure.onCheck(measureDelay(clock, onDelay));
  pressure.onCheck(() => {
    const blockMs = signs.longestBlockMs();
    if (blockMs >= noticeableMs) block.note(blockMs);
    const message = signs.shortage();
    if (message !== undefined) noteShortage(message);
  });
  return {
    pressure,
    /** The last block of the event loop that clients could have noticed: during it, no request is answered. */
    get recentBlockMs() {
      return block.value;
    },
    /** A recent shortage of descriptors, memory or local ports, in the operating system's words. */
    get recentShortage() {
      return shortage.value;
    },
    noteShortage,
    start: () => pressure.start(),
    stop() {
      pressure.stop();
      signs.stop();
    },
  };
}

const rememberedMs = 5000;

/** A value that counts for 5 s. */
class Recent<Value> {
  readonly #clock: Pick<Clock, 'elapsed'>;
  #last: { readonly atMs: number; readonly value: Value } | undefined;

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
  }

  note(value: Value): void {
    this.#last = { atMs: this.#clock.elapsed(), value };
  }

  get value(): Value | undefined {
    return this.#last && this.#clock.elapsed() - this.#last.atMs < rememberedMs ? this.#last.value : undefined;
  }
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
