/** The pause behind the first attempt that failed; each further one is three times as long. */
const firstRetryDelayMs = 10_000;
const retryDelayGrowth = 3;
/** No pause is longer than this, but for its jitter. */
export const retryDelayMaxMs = 8 * 3_600_000;
/** Pauses are shorter or longer by up to this part, so that what failed together does not come back together. */
const jitterShare = 0.2;
/** What did not arrive for so long is given up. */
export const givenUpAfterMs = 3 * 86_400_000;
/** Also where a clock has jumped meanwhile, it was tried at least so often. */
const attemptsMin = 10;
/** More than fit into the time, by far. */
const attemptsMax = 40;

/** How long to wait behind so many attempts that failed. `random` is from 0 to 1. */
export function retryDelayMs(attempts: number, random: number): number {
  const base = Math.min(firstRetryDelayMs * retryDelayGrowth ** (attempts - 1), retryDelayMaxMs);
  return Math.round(base * (1 - jitterShare + 2 * jitterShare * random));
}

/** Whether something that was first tried so long ago is not tried again. */
export function isGivenUp(attempts: number, sinceMs: number): boolean {
  return attempts >= attemptsMax || (attempts >= attemptsMin && sinceMs >= givenUpAfterMs);
}

const firstCooldownMs = 5000;
/** A receiver that fails is left alone for no longer than this between two of its deliveries. */
export const cooldownMaxMs = 300_000;

/** How long a receiver is left alone after so many failures on end, whichever deliveries they were of. */
export function cooldownMs(failures: number): number {
  return Math.min(firstCooldownMs * 2 ** (failures - 1), cooldownMaxMs);
}

/** A receiver that took nothing for so long, in so many attempts, is switched off. */
const offAfterMs = 3 * 86_400_000;
const offFailuresMin = 10;

export function isSwitchedOff(failures: number, sinceMs: number): boolean {
  return failures >= offFailuresMin && sinceMs >= offAfterMs;
}
