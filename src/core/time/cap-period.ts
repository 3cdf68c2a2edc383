import { ownJson } from 'chat-formats/json/own-json.ts';
import { beginning, calendar, type Day, dayMs, defaultTimeZone } from './calendar-day.ts';

/** How often the spend cap of a key renews. */
export type CapPeriod = 'day' | 'week' | 'month';

export const capPeriods: readonly CapPeriod[] = ['day', 'week', 'month'];

/** When a cap renews: at the beginning of a day, a week (Monday) or a month, in a time zone. */
export interface Renewal extends RenewalZone {
  readonly period: CapPeriod;
}

export interface RenewalZone {
  readonly timeZone: string;
  /** The previous time zone and the spans that began in it, by `spansKept`. They end before this zone takes effect. */
  readonly keptSpans?: string | undefined;
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
    const name = `${renewal.period} ${renewal.timeZone} ${renewal.keptSpans ?? ''}`;
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

/** From the columns `time_zone` and `kept_spans` of an account or an organisation. */
export function zoneOf(timeZone: string | null, keptSpans: string | null) {
  return { timeZone: timeZone ?? defaultTimeZone, keptSpans: keptSpans ?? undefined };
}

/** The spans of a time, for another time zone from then on. */
export function spansKept(zone: RenewalZone, at: number): string {
  const spans = capPeriods.map((period) => [period, spanAt({ ...zone, period }, at)] as const);
  return JSON.stringify({ timeZone: zone.timeZone, ...Object.fromEntries(spans) });
}

type KeptSpans = Readonly<Record<CapPeriod, CalendarSpan>> & { readonly timeZone: string };

/** The span after a change of the time zone is at least this long, so that changes never give a limit more often. */
const leastMs: Readonly<Record<CapPeriod, number>> = { day: dayMs, week: 7 * dayMs, month: 28 * dayMs };

function spanAt(renewal: Renewal, at: number): CalendarSpan {
  const { period, keptSpans } = renewal;
  if (!keptSpans) return calendarSpan(renewal, at);
  const { timeZone, [period]: kept } = ownJson(keptSpans) as KeptSpans;
  if (at < kept.since) return calendarSpan({ period, timeZone }, at);
  if (at < kept.until) return kept;
  const since = kept.until;
  const first = calendarSpan(renewal, since);
  if (first.since === since) return calendarSpan(renewal, at);
  let { until } = first;
  while (until - since < leastMs[period]) ({ until } = calendarSpan(renewal, until));
  return at < until ? { since, until } : calendarSpan(renewal, at);
}

/** If clocks are set back over midnight, a day appears twice. A time still belongs to exactly one span. */
function calendarSpan({ period, timeZone }: Renewal, at: number): CalendarSpan {
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
