/** How many of those who wait go in first once there is room; every later round takes twice as many. */
const firstRound = 64;

/**
 * A door that is usually open and costs nothing then. While there is no room, whoever comes waits; afterwards they go in
 * by turns, one of each party at a time, and slowly at first, so that relief is not the start of the next crush.
 */
export class Gate {
  readonly #room: () => number;
  readonly #waiting = new Map<string, (() => void)[]>();
  #count = 0;
  #round = firstRound;

  /** `room` says how many could go in right now; 0 shuts the door. */
  constructor(room: () => number) {
    this.#room = room;
  }

  get waiting(): number {
    return this.#count;
  }

  get isFree(): boolean {
    return this.#count === 0 && this.#room() > 0;
  }

  /** Calls `go` at once if there is room and nobody before, otherwise when it is its turn. */
  enter(go: () => void, party = ''): void {
    if (this.isFree) return go();
    const line = this.#waiting.get(party) ?? [];
    line.push(go);
    this.#waiting.set(party, line);
    this.#count += 1;
  }

  /** Room may have changed: lets the next round in. Called again and again while somebody waits. */
  relieve(): void {
    if (this.#room() <= 0) {
      this.#round = firstRound;
      return;
    }
    this.letIn(this.#round);
    this.#round = this.#count === 0 ? firstRound : this.#round * 2;
  }

  /** Lets in at most so many, as far as there is room. */
  letIn(most: number): void {
    for (let count = 0; count < most && this.#count > 0 && this.#room() > 0; count += 1) this.#next()?.();
  }

  /** The first of the party whose turn it is; the party goes to the end. */
  #next(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [party, line] = first;
    const go = line.shift();
    this.#count -= 1;
    this.#waiting.delete(party);
    if (line.length > 0) this.#waiting.set(party, line);
    return go;
  }
}
