/** The header has seconds or a date. `undefined` if it is missing or malformed. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}(\.\d{1,3})?$/.test(header)) return Number(header) * 1000;
  const until = /^[A-Za-z]{3,9}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(until) ? undefined : Math.max(0, until - now);
}
