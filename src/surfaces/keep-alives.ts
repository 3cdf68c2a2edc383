/** A sign of activity of a process: more text of its reply, or a new report of the process. */
export type Sign = 'text' | 'report';

interface IdleStream {
  /** How often each kind of sign was checked since the retry arrived. */
  readonly looks: Record<Sign, number>;
  readonly tell: (goesOn: boolean) => void;
}

/** Signs that another process still generates a reply that is read here. Retries wait for one before they join. */
export class KeepAlives {
  readonly #waiting = new Set<IdleStream>();

  /** Resolves with true at the first new sign, with false if the reply ends before one. */
  next(): Promise<boolean> {
    return new Promise((tell) => void this.#waiting.add({ looks: { text: 0, report: 0 }, tell }));
  }

  /** Called before each check for a sign. */
  looksFor(sign: Sign): void {
    for (const { looks } of this.#waiting) looks[sign] += 1;
  }

  /** Called when a check finds a sign that the previous check did not. */
  found(sign: Sign): void {
    // A sign at the first check may be older than the retry.
    for (const waiting of this.#waiting) if (waiting.looks[sign] > 1) this.#tell(waiting, true);
  }

  /** Ends all waits with this result. */
  over(goesOn: boolean): void {
    for (const waiting of this.#waiting) this.#tell(waiting, goesOn);
  }

  #tell(waiting: IdleStream, goesOn: boolean): void {
    this.#waiting.delete(waiting);
    waiting.tell(goesOn);
  }
}
