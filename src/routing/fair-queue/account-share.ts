/**
 * The largest share of the slots that one account may hold while others could come; at least one slot is left to
 * others.
 */
const accountShareMax = 0.9;

export function accountSlotsMax(limit: number): number {
  return Math.max(1, Math.min(limit - 1, Math.floor(accountShareMax * limit)));
}
