/** The only source of time, so that tests can own it. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds for measuring; unrelated to the wall clock. */
  readonly elapsed: () => number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
};
