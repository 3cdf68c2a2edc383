/** Delay after the first failed attempt. Each further delay is three times as long. */
const firstRetryDelayMs = 10_000;
const retryDelayGrowth = 3;
/** Maximum delay, before jitter. */
export const retryDelayMaxMs = 8 * 3_600_000;
/** Delays vary by up to this share, so that deliveries that failed together are not retried together. */
const jitterShare = 0.2;
export const givenUpAfterMs = 3 * 86_400_000;
/** Minimum number of attempts, in case the clock jumped forward. */
const attemptsMin = 10;
/** Far more than fit into `givenUpAfterMs`. */
const attemptsMax = 40;

/** Delay after `attempts` failed attempts. `random` is from 0 to 1. */
export function retryDelayMs(attempts: number, random: number): number {
  const base = Math.min(firstRetryDelayMs * retryDelayGrowth ** (attempts - 1), retryDelayMaxMs);
  return Math.round(base * (1 - jitterShare + 2 * jitterShare * random));
}

/** `sinceMs` is the time since the delivery was created or last redelivered. */
export function isGivenUp(attempts: number, sinceMs: number): boolean {
  return attempts >= attemptsMax || (attempts >= attemptsMin && sinceMs >= givenUpAfterMs);
}

const firstCooldownMs = 5000;
/** Maximum cooldown of a failing endpoint between two of its deliveries. */
export const cooldownMaxMs = 300_000;

/** Cooldown of an endpoint after `failures` failures in a row, of any of its deliveries. */
export function cooldownMs(failures: number): number {
  return Math.min(firstCooldownMs * 2 ** (failures - 1), cooldownMaxMs);
}

/** An endpoint is switched off after this time without a success, and at least `offFailuresMin` failures. */
const offAfterMs = 3 * 86_400_000;
const offFailuresMin = 10;

export function isSwitchedOff(failures: number, sinceMs: number): boolean {
  return failures >= offFailuresMin && sinceMs >= offAfterMs;
}
