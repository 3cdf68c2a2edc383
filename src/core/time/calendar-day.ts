/** A calendar day, as the time of its midnight in UTC. */
export type Day = number;

/** For accounts without a time zone. */
export const defaultTimeZone = 'UTC';

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** Start of the UTC hour of a time. */
export function hourOf(at: number): number {
  return at - (at % hourMs);
}

/** Start of the UTC day of a time. */
export function dayOf(at: number): number {
  return at - (at % dayMs);
}

/** Returns a function that maps a time to its calendar day in a time zone. */
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

/** The first time of this day or a later one. Midnight may not exist, and a zone may skip a whole day. */
export function beginning(day: Day, dateAt: (at: number) => Day): number {
  let [before, after] = [day - dayMs, day + 2 * dayMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dateAt(middle) >= day) after = middle;
    else before = middle;
  }
  return after;
}
