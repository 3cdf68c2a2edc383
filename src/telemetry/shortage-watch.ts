import type { Clock } from '../core/clock.ts';

/** Remembers for a while that this machine was short of something: descriptors, memory, local ports. */
export interface ShortageWatch {
  note(message: string): void;
  /** What was short a moment ago, in the system's words. */
  readonly recent: string | undefined;
}

const rememberedMs = 5000;

/** `began` hears of a shortage once, however often it is met while it lasts. */
export function shortageWatch(clock: Pick<Clock, 'elapsed'>, began: (message: string) => void): ShortageWatch {
  let last: { readonly atMs: number; readonly message: string } | undefined;
  const recent = () => (last && clock.elapsed() - last.atMs < rememberedMs ? last.message : undefined);
  return {
    note(message) {
      if (recent() === undefined) began(message);
      last = { atMs: clock.elapsed(), message };
    },
    get recent() {
      return recent();
    },
  };
}
