/** How many entries the first round admits once there is capacity. Each later round admits twice as many. */
const firstRound = 64;

/** Entries wait while there is no capacity. Then parties take turns, slowly at first, so that a burst does no harm. */
export class Gate {
  readonly #capacity: () => number;
  readonly #waiting = new Map<string, (() => void)[]>();
  #count = 0;
  #round = firstRound;

  /** `capacity` returns how many entries can be admitted now; 0 closes the gate. */
  constructor(capacity: () => number) {
    this.#capacity = capacity;
  }

  get waiting(): number {
    return this.#count;
  }

  get isFree(): boolean {
    return this.#count === 0 && this.#capacity() > 0;
  }

  /** Calls `admitted` at once if there is capacity and no entry waits, otherwise when its turn comes. */
  enter(admitted: () => void, party = ''): void {
    if (this.isFree) return admitted();
    const entries = this.#waiting.get(party) ?? [];
    entries.push(admitted);
    this.#waiting.set(party, entries);
    this.#count += 1;
  }

  /** Admits the next round if there is capacity. The owner calls it periodically. */
  relieve(): void {
    if (this.#capacity() <= 0) {
      this.#round = firstRound;
      return;
    }
    this.admit(this.#round);
    this.#round = this.#count === 0 ? firstRound : this.#round * 2;
  }

  admit(most: number): void {
    for (let count = 0; count < most && this.#count > 0 && this.#capacity() > 0; count += 1) this.#next()?.();
  }

  /** Removes the first entry of the next party and moves that party to the end. */
  #next(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [party, entries] = first;
    const admitted = entries.shift();
    this.#count -= 1;
    this.#waiting.delete(party);
    if (entries.length > 0) this.#waiting.set(party, entries);
    return admitted;
  }
}
