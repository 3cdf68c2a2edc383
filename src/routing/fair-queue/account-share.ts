/** The most of the slots one account may hold while others could come; one is left to them in any case. */
const accountShareMax = 0.9;

/** How many of the slots one account may hold while others could come. */
export function accountSlotsMax(limit: number): number {
  return Math.max(1, Math.min(limit - 1, Math.floor(accountShareMax * limit)));
}
