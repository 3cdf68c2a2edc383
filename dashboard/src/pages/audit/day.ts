/** The instant a day begins in the viewer's zone; nothing where no day is named. */
export function startOfDay(day: string | undefined): string | undefined {
  return instant(day, 0);
}

/** The instant the day after begins, so that the named day is whole. */
export function dayAfter(day: string | undefined): string | undefined {
  return instant(day, 1);
}

function instant(day: string | undefined, plusDays: number): string | undefined {
  const [year, month, date] = (day ?? '').split('-').map(Number);
  if (!year || !month || !date) return undefined;
  return new Date(year, month - 1, date + plusDays).toISOString();
}
