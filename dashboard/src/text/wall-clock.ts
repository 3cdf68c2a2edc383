/** What a clock on the wall of a zone shows, to the second, as milliseconds that count as if the zone were UTC. */
function wallMs(at: number, timeZone: string): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of clockOf(timeZone).formatToParts(at)) parts[type] = value;
  const field = (name: Intl.DateTimeFormatPartTypes) => Number(parts[name]);
  return Date.UTC(field('year'), field('month') - 1, field('day'), field('hour'), field('minute'), field('second'));
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** One for each zone that was asked for: to make one costs far more than to read it. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  clocks.set(timeZone, clock);
  return clock;
}

/** The wall's time as `2026-01-31T09:30`, as fields of forms write it. */
export function wallTime(at: string | number | Date, timeZone: string): string {
  const ms = new Date(at).getTime();
  return Number.isNaN(ms) ? '' : new Date(wallMs(ms, timeZone)).toISOString().slice(0, 16);
}

/**
 * The moment at which the wall shows a time, written as `2026-01-31` or `2026-01-31T09:30`; nothing where that is no time.
 * Of an hour that comes twice the first is meant, and a time that is skipped is as much later as clocks were put forward.
 */
export function momentOf(wall: string, timeZone: string): Date | undefined {
  const shown = Date.parse(wall.length === 10 ? `${wall}T00:00Z` : `${wall}Z`);
  if (Number.isNaN(shown)) return undefined;
  const offsetAt = (at: number) => wallMs(at, timeZone) - at;
  const dayMs = 86_400_000;
  // Zones change at most once within a day of any moment, so what holds before and after are the only two offsets.
  const [before, after] = [offsetAt(shown - dayMs), offsetAt(shown + dayMs)];
  const early = shown - Math.max(before, after);
  const late = shown - Math.min(before, after);
  const isShown = (at: number) => at + offsetAt(at) === shown;
  return new Date(isShown(early) ? early : isShown(late) ? late : shown - before);
}

/** The midnight that begins a day of the wall, some days from the one that a moment is in. */
export function midnight(at: number | Date, daysLater: number, timeZone: string): Date {
  const day = new Date(`${wallTime(at, timeZone).slice(0, 10)}T00:00Z`);
  day.setUTCDate(day.getUTCDate() + daysLater);
  return momentOf(day.toISOString().slice(0, 10), timeZone) ?? day;
}

/** When a day written as `2026-01-31` begins, or one some days later; nothing where no day is named. */
export function startOfDay(day: string | undefined, daysLater: number, timeZone: string): string | undefined {
  const first = momentOf(day ?? '', timeZone);
  return first && midnight(first, daysLater, timeZone).toISOString();
}
