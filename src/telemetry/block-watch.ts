import type { Clock } from '../core/clock.ts';
import type { VitalSigns } from './vital-signs.ts';

/** Remembers for a while that the event loop was blocked, since nobody can ask while it is. */
export interface BlockWatch {
  /** Looks again; called every few hundred milliseconds. */
  look(): void;
  /** The longest recent block that a client would have noticed, in milliseconds. */
  readonly recentBlockMs: number | undefined;
}

/** Shorter ones are a busy moment, not a stall. */
const noticeableMs = 1000;
const rememberedMs = 5000;

export function blockWatch(signs: Pick<VitalSigns, 'longestBlockMs'>, clock: Pick<Clock, 'elapsed'>): BlockWatch {
  let last: { readonly atMs: number; readonly blockMs: number } | undefined;
  return {
    look() {
      const blockMs = signs.longestBlockMs();
      if (blockMs >= noticeableMs) last = { atMs: clock.elapsed(), blockMs };
    },
    get recentBlockMs() {
      return last && clock.elapsed() - last.atMs < rememberedMs ? last.blockMs : undefined;
    },
  };
}
