/** How often what a key may spend is new. */
export type CapPeriod = 'day' | 'week' | 'month';

export const capPeriods: readonly CapPeriod[] = ['day', 'week', 'month'];

/** When a cap renews: at the beginning of a day, a week (on Monday) or a month, as the clocks of a time zone show it. */
export interface Renewal {
  readonly period: CapPeriod;
  readonly timeZone: string;
}

/** From when to before when, in milliseconds since 1970. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** Of how many renewals the last span is remembered; whoever asks again within it is answered at once. */
const rememberedMax = 10_000;

/** Says which span of a renewal a moment belongs to. Spans follow each other without a gap and never overlap. */
export function capSpans(): (renewal: Renewal, at: number) => Span {
  const known = new Map<string, Span>();
  return (renewal, at) => {
    const name = `${renewal.period} ${renewal.timeZone}`;
    const last = known.get(name);
    if (last && last.since <= at && at < last.until) return last;
    const span = spanAt(renewal, at);
    if (known.size >= rememberedMax) known.clear();
    known.set(name, span);
    return span;
  };
}

/** Whether clocks of that name are known here. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Clocks that are set back over midnight show a day twice: a moment belongs to the span it is in, whatever they show. */
function spanAt({ period, timeZone }: Renewal, at: number): Span {
  const dateAt = calendar(timeZone);
  const first = firstDayOf(period, dateAt(at));
  const next = dayAfter(period, first);
  const [since, until] = [beginning(first, dateAt), beginning(next, dateAt)];
  if (at >= until) return { since: until, until: beginning(dayAfter(period, next), dateAt) };
  if (at < since) return { since: beginning(firstDayOf(period, first - dayMs), dateAt), until: since };
  return { since, until };
}

const dayMs = 86_400_000;

/** A day of the calendar, as the moment at which it begins in UTC. */
type Day = number;

function calendar(timeZone: string): (at: number) => Day {
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts['year'] ?? 0, (parts['month'] ?? 1) - 1, parts['day'] ?? 1);
  };
}

function firstDayOf(period: CapPeriod, day: Day): Day {
  const date = new Date(day);
  if (period === 'day') return day;
  // Weeks begin on Monday, which is day 1.
  if (period === 'week') return day - ((date.getUTCDay() + 6) % 7) * dayMs;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** The first day of the next period. */
function dayAfter(period: CapPeriod, firstDay: Day): Day {
  const date = new Date(firstDay);
  if (period === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return firstDay + (period === 'week' ? 7 : 1) * dayMs;
}

/**
 * The moment from which clocks show this day or a later one. They are not asked for midnight: where they are set forward
 * over it, there is none, and a zone may leave out a whole day.
 */
function beginning(day: Day, dateAt: (at: number) => Day): number {
  let [before, after] = [day - dayMs, day + 2 * dayMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dateAt(middle) >= day) after = middle;
    else before = middle;
  }
  return after;
}
