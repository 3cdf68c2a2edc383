import type { Clock } from '../core/time/clock.ts';
import type { ProcessStats } from './process-stats.ts';

/** Remembers for 5 s that the event loop was blocked, because no request can be answered during the block. */
export interface EventLoopLagMonitor {
  /** Reads the latest measurement. Called every few hundred milliseconds. */
  check(): void;
  /** The length in milliseconds of the last block of 1 s or more, if it was seen in the last 5 s. */
  readonly recentBlockMs: number | undefined;
}

/** Shorter blocks are normal load, not a stall. */
const noticeableMs = 1000;
const rememberedMs = 5000;

export function blockWatch(
  signs: Pick<ProcessStats, 'longestBlockMs'>,
  clock: Pick<Clock, 'elapsed'>,
): EventLoopLagMonitor {
  let last: { readonly atMs: number; readonly blockMs: number } | undefined;
  return {
    check() {
      const blockMs = signs.longestBlockMs();
      if (blockMs >= noticeableMs) last = { atMs: clock.elapsed(), blockMs };
    },
    get recentBlockMs() {
      return last && clock.elapsed() - last.atMs < rememberedMs ? last.blockMs : undefined;
    },
  };
}
