/** How many days a balance lasts at the recent rate. An estimate, so floating-point numbers suffice. */
export function daysLeft(balance: string, spent: string, days: number): number {
  const perDay = Number(spent) / days;
  return perDay > 0 ? Number(balance) / perDay : Number.POSITIVE_INFINITY;
}
