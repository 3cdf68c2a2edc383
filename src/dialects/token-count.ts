/** More than any answer has; what claims to be above it is a broken counter. */
export const tokensMax = 2 ** 31 - 1;

/**
 * Reads a provider's count without believing it: a whole number from 0 to `limit`, or `undefined` when nothing is said.
 * What had to be mended is told to `onAnomaly`.
 */
export function decodeCount(value: unknown, limit: number, onAnomaly: () => void): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limit) return value;
  onAnomaly();
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
  return Math.min(limit, Math.max(0, Math.trunc(number)));
}
