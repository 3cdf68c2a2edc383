/** How many days a balance lasts at the pace of the last days; an estimate, so plain numbers do. */
export function daysLeft(balance: string, spent: string, days: number): number {
  const perDay = Number(spent) / days;
  return perDay > 0 ? Number(balance) / perDay : Number.POSITIVE_INFINITY;
}
