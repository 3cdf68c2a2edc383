/** The only source of time and timers, so that tests and the simulator can control both. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds for measurements; unrelated to the wall clock. */
  readonly elapsed: () => number;
  /** Runs the work after the delay, unless it is cancelled before. */
  readonly after: (delayMs: number, work: () => void) => Timer;
  /** May be called again after the work has run or was cancelled. */
  readonly cancel: (timer: Timer | undefined) => void;
}

export interface Timer {
  /** Lets the process end although the timer is pending. */
  unref(): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (delayMs, work) => new SystemTimer(delayMs, work),
  cancel: (timer) => (timer as SystemTimer | undefined)?.cancel(),
};

/** A timer that is this late waited for a process that was suspended or busy. */
const lateMs = 100;

/**
 * Most timers are timeouts for missing data. A late timer lets sockets be read first: data that arrived while the
 * process was suspended is not missing. Otherwise all answers would be aborted when the process continues.
 */
class SystemTimer implements Timer {
  readonly #timeout: NodeJS.Timeout;
  #immediate: NodeJS.Immediate | undefined;

  constructor(delayMs: number, work: () => void) {
    const dueMs = performance.now() + delayMs;
    const fire = (): void => {
      if (performance.now() - dueMs < lateMs) work();
      else this.#immediate = setImmediate(work);
    };
    // Time passes between computing a delay and using it; for a negative delay Node would log a warning.
    this.#timeout = setTimeout(fire, Math.max(0, delayMs));
  }

  unref(): void {
    this.#timeout.unref();
  }

  cancel(): void {
    clearTimeout(this.#timeout);
    clearImmediate(this.#immediate);
  }
}
