import type { Clock } from '../core/time/clock.ts';

/** Remembers for 5 s that this machine ran out of a resource: descriptors, memory or local ports. */
export interface ShortageWatch {
  note(message: string): void;
  /** The system's error message for the shortage of the last 5 s, if there was one. */
  readonly recent: string | undefined;
}

const rememberedMs = 5000;

/** Calls `began` once per shortage, regardless of how many errors it causes. */
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
