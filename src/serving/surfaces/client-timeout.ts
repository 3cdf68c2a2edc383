/** A client gets an error 5 s before its own timeout, or 10 % of the timeout before it if that is less. */
const marginMaxMs = 5000;
const marginShare = 0.1;

/** From `x-stainless-timeout` (seconds), minus the margin. Undefined if it is not a valid number. */
export function clientTimeoutMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}(\.\d{1,9})?$/.test(header)) return undefined;
  const timeoutMs = Number(header) * 1000;
  return timeoutMs > 0 ? timeoutMs - Math.min(marginMaxMs, marginShare * timeoutMs) : undefined;
}
