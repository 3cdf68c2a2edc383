/** A client is told a little before it gives up by itself: so long, or this part of its deadline if that is less. */
const marginMaxMs = 5000;
const marginShare = 0.1;

/**
 * How long a client will wait, less a margin in which to tell it, from the seconds its SDK says in `x-stainless-timeout`.
 * Whatever is no such number says nothing.
 */
export function clientTimeoutMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}(\.\d{1,9})?$/.test(header)) return undefined;
  const timeoutMs = Number(header) * 1000;
  return timeoutMs > 0 ? timeoutMs - Math.min(marginMaxMs, marginShare * timeoutMs) : undefined;
}
