/** A sign of activity of a process: more text of its reply, or a new report of the process. */
export type Sign = 'text' | 'report';

interface SignWaiter {
  /** How often each kind of sign was checked since the retry arrived. */
  readonly checks: Record<Sign, number>;
  readonly resolve: (goesOn: boolean) => void;
}

/** Signs that another process still generates a reply that is read here. Retries wait for one before they join. */
export class ActivitySigns {
  readonly #waiting = new Set<SignWaiter>();

  /** Resolves with true at the first new sign, with false if the reply ends before one. */
  next(): Promise<boolean> {
    return new Promise((resolve) => void this.#waiting.add({ checks: { text: 0, report: 0 }, resolve }));
  }

  checking(sign: Sign): void {
    for (const { checks } of this.#waiting) checks[sign] += 1;
  }

  /** Called when a check finds a sign that the previous check did not. */
  seen(sign: Sign): void {
    // A sign at the first check may be older than the retry.
    for (const waiting of this.#waiting) if (waiting.checks[sign] > 1) this.#resolve(waiting, true);
  }

  end(goesOn: boolean): void {
    for (const waiting of this.#waiting) this.#resolve(waiting, goesOn);
  }

  #resolve(waiting: SignWaiter, goesOn: boolean): void {
    this.#waiting.delete(waiting);
    waiting.resolve(goesOn);
  }
}
