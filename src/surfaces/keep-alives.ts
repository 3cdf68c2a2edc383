/** What shows that a process lives: more of a reply that it makes, or one more report of it. */
export type Sign = 'text' | 'report';

interface IdleStream {
  /** How often each kind of sign was looked for since it came. */
  readonly looks: Record<Sign, number>;
  readonly tell: (goesOn: boolean) => void;
}

/** Signs that another process still makes a reply that is read here, for retries that would join it. */
export class KeepAlives {
  readonly #waiting = new Set<IdleStream>();

  /** True at the first sign that was given from now on; false when the reply is over before there is one. */
  next(): Promise<boolean> {
    return new Promise((tell) => void this.#waiting.add({ looks: { text: 0, report: 0 }, tell }));
  }

  /** A sign is looked for. */
  looksFor(sign: Sign): void {
    for (const { looks } of this.#waiting) looks[sign] += 1;
  }

  /** A sign is found that was not there at the look before. */
  found(sign: Sign): void {
    // What the first look of a retry finds may have been there before the retry came.
    for (const waiting of this.#waiting) if (waiting.looks[sign] > 1) this.#tell(waiting, true);
  }

  /** Nothing has to be waited for any more. */
  over(goesOn: boolean): void {
    for (const waiting of this.#waiting) this.#tell(waiting, goesOn);
  }

  #tell(waiting: IdleStream, goesOn: boolean): void {
    this.#waiting.delete(waiting);
    waiting.tell(goesOn);
  }
}
