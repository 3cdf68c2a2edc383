import { beginning, calendar, type Day, dayMs } from './calendar-day.ts';

/** How often the spend cap of a key renews. */
export type CapPeriod = 'day' | 'week' | 'month';

export const capPeriods: readonly CapPeriod[] = ['day', 'week', 'month'];

/** When a cap renews: at the beginning of a day, a week (Monday) or a month, in a time zone. */
export interface Renewal {
  readonly period: CapPeriod;
  readonly timeZone: string;
}

/** From `since` until before `until`, in milliseconds since 1970. */
export interface CalendarSpan {
  readonly since: number;
  readonly until: number;
}

/** How many renewals are cached, each with its last span. */
const maxCached = 10_000;

/** Returns a function that finds the span of a time. Spans have no gaps and never overlap. */
export function calendarSpans(): (renewal: Renewal, at: number) => CalendarSpan {
  const cache = new Map<string, CalendarSpan>();
  return (renewal, at) => {
    const name = `${renewal.period} ${renewal.timeZone}`;
    const last = cache.get(name);
    if (last && last.since <= at && at < last.until) return last;
    const span = spanAt(renewal, at);
    if (cache.size >= maxCached) cache.clear();
    cache.set(name, span);
    return span;
  };
}

/** Whether this runtime supports the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** If clocks are set back over midnight, a day appears twice. A time still belongs to exactly one span. */
function spanAt({ period, timeZone }: Renewal, at: number): CalendarSpan {
  const dateAt = calendar(timeZone);
  const first = firstDayOf(period, dateAt(at));
  const next = firstDayAfter(period, first);
  const [since, until] = [beginning(first, dateAt), beginning(next, dateAt)];
  if (at >= until) return { since: until, until: beginning(firstDayAfter(period, next), dateAt) };
  if (at < since) return { since: beginning(firstDayOf(period, first - dayMs), dateAt), until: since };
  return { since, until };
}

function firstDayOf(period: CapPeriod, day: Day): Day {
  const date = new Date(day);
  if (period === 'day') return day;
  // Weeks begin on Monday, which is day 1.
  if (period === 'week') return day - ((date.getUTCDay() + 6) % 7) * dayMs;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function firstDayAfter(period: CapPeriod, firstDay: Day): Day {
  const date = new Date(firstDay);
  if (period === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return firstDay + (period === 'week' ? 7 : 1) * dayMs;
}
