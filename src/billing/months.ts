/** A calendar month in UTC, as `2026-03`. */
export type Month = string;

export function monthOf(at: number): Month {
  return new Date(at).toISOString().slice(0, 7);
}

/** Its first moment. */
export function monthStart(month: Month): number {
  return Date.parse(`${month}-01T00:00:00Z`);
}

/** The first moment of the next. */
export function monthEnd(month: Month): number {
  const start = new Date(monthStart(month));
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
}

export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}
