import { recentlyUsed } from '../core/recently-used.ts';
import type { Clock } from '../core/clock.ts';

/** Counts for any number of names, each of which falls by one from time to time by itself. */
export interface LeakyCounts {
  level(name: string): number;
  add(name: string): void;
  take(name: string): void;
  clear(name: string): void;
}

/** All there is to remember; who floods it with new names only has the oldest of them forgotten. */
const namesMax = 10_000;

/** A name's count falls by one each `drainMs` and never gets above `max`, so that what is past is forgotten in the end. */
export function leakyCounts(
  clock: Clock,
  { drainMs, max }: { readonly drainMs: number; readonly max: number },
): LeakyCounts {
  const counts = recentlyUsed<string, { readonly level: number; readonly sinceMs: number }>(namesMax);

  function read(name: string): { readonly level: number; readonly sinceMs: number } {
    const known = counts.peek(name);
    if (!known) return { level: 0, sinceMs: clock.elapsed() };
    const drained = Math.floor((clock.elapsed() - known.sinceMs) / drainMs);
    return { level: Math.max(0, known.level - drained), sinceMs: known.sinceMs + drained * drainMs };
  }

  function set(name: string, level: number, sinceMs: number): void {
    if (level > 0) counts.set(name, { level, sinceMs });
    else counts.delete(name);
  }

  return {
    level: (name) => read(name).level,
    add(name) {
      const { level, sinceMs } = read(name);
      set(name, Math.min(max, level + 1), level === 0 ? clock.elapsed() : sinceMs);
    },
    take(name) {
      const { level, sinceMs } = read(name);
      set(name, level - 1, sinceMs);
    },
    clear: (name) => void counts.delete(name),
  };
}
