/** Returns the wall-clock time of a time zone, to the second, as if the zone were UTC. */
function wallMs(at: number, timeZone: string): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of clockOf(timeZone).formatToParts(at)) parts[type] = value;
  const field = (name: Intl.DateTimeFormatPartTypes) => Number(parts[name]);
  return Date.UTC(field('year'), field('month') - 1, field('day'), field('hour'), field('minute'), field('second'));
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Caches one formatter for each time zone: creating one costs far more than using it. */
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

/** Returns the wall-clock time as `2026-01-31T09:30`, the format of form fields, or an empty string for an invalid time. */
export function wallTime(at: string | number | Date, timeZone: string): string {
  const ms = new Date(at).getTime();
  return Number.isNaN(ms) ? '' : new Date(wallMs(ms, timeZone)).toISOString().slice(0, 16);
}

/**
 * Returns the moment of a wall-clock time such as `2026-01-31` or `2026-01-31T09:30`, or undefined for an invalid time.
 * A time that occurs twice is the first of the two. A skipped time is moved forward by as much as the clocks were.
 */
export function momentOf(wall: string, timeZone: string): Date | undefined {
  const shown = Date.parse(wall.length === 10 ? `${wall}T00:00Z` : `${wall}Z`);
  if (Number.isNaN(shown)) return undefined;
  const offsetAt = (at: number) => wallMs(at, timeZone) - at;
  const dayMs = 86_400_000;
  // A zone changes its offset at most once within a day of any moment, so only the offsets before and after can apply.
  const [before, after] = [offsetAt(shown - dayMs), offsetAt(shown + dayMs)];
  const early = shown - Math.max(before, after);
  const late = shown - Math.min(before, after);
  const isShown = (at: number) => at + offsetAt(at) === shown;
  return new Date(isShown(early) ? early : isShown(late) ? late : shown - before);
}

/** Returns the midnight that begins the day `daysLater` days after the day of a moment. */
export function midnight(at: number | Date, daysLater: number, timeZone: string): Date {
  const day = new Date(`${wallTime(at, timeZone).slice(0, 10)}T00:00Z`);
  day.setUTCDate(day.getUTCDate() + daysLater);
  return momentOf(day.toISOString().slice(0, 10), timeZone) ?? day;
}

/** Returns the start of a day such as `2026-01-31`, or of the day `daysLater` days later; undefined without a valid day. */
export function startOfDay(day: string | undefined, daysLater: number, timeZone: string): string | undefined {
  const first = momentOf(day ?? '', timeZone);
  return first && midnight(first, daysLater, timeZone).toISOString();
}

/**
 * The start of the last days, today included, for an API that counts days of 24 hours. Every one begins on its own date,
 * also if the clocks changed: at midnight, or an hour later.
 */
export function startOfDays(at: number, days: number, timeZone: string): Date {
  const first = midnight(at, 1 - days, timeZone).getTime();
  const fromToday = midnight(at, 0, timeZone).getTime() - (days - 1) * 86_400_000;
  return new Date(Math.max(first, fromToday));
}
