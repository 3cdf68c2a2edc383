/** The only source of time and of timers, so that tests and the simulator can own both. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds for measuring; unrelated to the wall clock. */
  readonly elapsed: () => number;
  /** Does the work once that much time has passed, unless it is cancelled before. */
  readonly after: (delayMs: number, work: () => void) => Timer;
  /** Work that was done or cancelled already may be cancelled again. */
  readonly cancel: (timer: Timer | undefined) => void;
}

/** Work that is to be done later; only its clock knows more of it. */
export interface Timer {
  /** It alone must not keep the process from ending. */
  unref(): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (delayMs, work) => setTimeout(work, delayMs),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};
