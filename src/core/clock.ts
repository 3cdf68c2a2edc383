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
  after: (delayMs, work) => new SystemTimer(delayMs, work),
  cancel: (timer) => (timer as SystemTimer | undefined)?.cancel(),
};

/** Who comes so much too late has waited for a process that stood still, or was busy with something else. */
const lateMs = 100;

/**
 * Most timers call somebody silent. One that comes late lets sockets be read first: what arrived while the process stood
 * still is no silence, and all its answers would be broken off when it goes on.
 */
class SystemTimer implements Timer {
  readonly #timeout: NodeJS.Timeout;
  #immediate: NodeJS.Immediate | undefined;

  constructor(delayMs: number, work: () => void) {
    const dueMs = performance.now() + delayMs;
    const look = (): void => {
      if (performance.now() - dueMs < lateMs) work();
      else this.#immediate = setImmediate(work);
    };
    // Between reckoning a time and asking for it the clock goes on; Node would warn of less than nothing in the log.
    this.#timeout = setTimeout(look, Math.max(0, delayMs));
  }

  unref(): void {
    this.#timeout.unref();
  }

  cancel(): void {
    clearTimeout(this.#timeout);
    clearImmediate(this.#immediate);
  }
}
