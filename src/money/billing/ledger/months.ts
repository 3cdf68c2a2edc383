import { beginning, calendar } from '../../../core/time/calendar-day.ts';

/** A calendar month, such as `2026-03`. Its begin depends on the time zone. */
export type Month = string;

/**
 * The month of a moment. If clocks are set back across the start of a month, they show the previous month again; the
 * result stays the new month.
 */
export function monthAt(at: number, timeZone: string): Month {
  const month = nameOf(calendar(timeZone)(at));
  if (at < monthStart(month, timeZone)) return monthAfter(month, -1);
  return at < monthEnd(month, timeZone) ? month : monthAfter(month);
}

/** The first moment of the month. */
export function monthStart(month: Month, timeZone: string): number {
  return beginning(firstDay(month), calendar(timeZone));
}

/** The first moment of the next month. */
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
