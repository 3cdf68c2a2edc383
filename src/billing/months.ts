import { beginning, calendar } from '../core/calendar-day.ts';

/** A month of the calendar, as `2026-03`. When it begins is for the clocks of a time zone to say. */
export type Month = string;

/** The month a moment belongs to. Where clocks are set back over its beginning they show the one before once more, which is over. */
export function monthAt(at: number, timeZone: string): Month {
  const month = nameOf(calendar(timeZone)(at));
  if (at < monthStart(month, timeZone)) return monthAfter(month, -1);
  return at < monthEnd(month, timeZone) ? month : monthAfter(month);
}

/** Its first moment. */
export function monthStart(month: Month, timeZone: string): number {
  return beginning(firstDay(month), calendar(timeZone));
}

/** The first moment of the next. */
export function monthEnd(month: Month, timeZone: string): number {
  return monthStart(monthAfter(month), timeZone);
}

export function monthAfter(month: Month, months = 1): Month {
  const first = new Date(firstDay(month));
  return nameOf(first.setUTCMonth(first.getUTCMonth() + months));
}

export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

function firstDay(month: Month): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}

function nameOf(day: number): Month {
  return new Date(day).toISOString().slice(0, 7);
}
