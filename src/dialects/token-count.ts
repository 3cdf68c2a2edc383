/** More tokens than any answer has. A larger count is a bug of the provider. */
export const tokensMax = 2 ** 31 - 1;

/**
 * Reads a provider's count: an integer from 0 to `limit`, or `undefined` if there is none. An invalid count is
 * corrected if possible, and `onAnomaly` is called.
 */
export function decodeCount(value: unknown, limit: number, onAnomaly: () => void): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limit) return value;
  onAnomaly();
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return undefined;
  return Math.min(limit, Math.max(0, Math.trunc(number)));
}
