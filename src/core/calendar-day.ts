/** A day of the calendar, as the moment at which it begins in UTC. */
export type Day = number;

/** Of accounts that say nothing. */
export const defaultTimeZone = 'UTC';

export const dayMs = 86_400_000;

/** Says which day the clocks of a time zone show at a moment. */
export function calendar(timeZone: string): (at: number) => Day {
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

/**
 * The moment from which clocks show this day or a later one. They are not asked for midnight: where they are set forward
 * over it, there is none, and a zone may leave out a whole day.
 */
export function beginning(day: Day, dateAt: (at: number) => Day): number {
  let [before, after] = [day - dayMs, day + 2 * dayMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dateAt(middle) >= day) after = middle;
    else before = middle;
  }
  return after;
}
