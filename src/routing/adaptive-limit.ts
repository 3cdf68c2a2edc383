/** What is left of the limit when the upstream says that it has no room. */
const cutFactor = 0.7;
/** After each of these without such a word there is one place more. */
const quietMs = 10_000;

/** How many answers may run at an upstream at once: less when it refuses, slowly more again, at most what was configured. */
export class AdaptiveLimit {
  readonly #elapsed: () => number;
  #max: number;
  #level: number;
  #quietSinceMs = 0;
  #cuts = 0;

  constructor(max: number, elapsed: () => number) {
    this.#max = max;
    this.#level = max;
    this.#elapsed = elapsed;
  }

  get current(): number {
    if (this.#level < this.#max) this.#grow();
    return this.#level;
  }

  /** Changes with every cut: a request let in before a cut must not cause another one. */
  get generation(): number {
    return this.#cuts;
  }

  /** When the next place is added; `undefined` when none is missing. */
  get growsAtMs(): number | undefined {
    return this.current < this.#max ? this.#quietSinceMs + quietMs : undefined;
  }

  /** The upstream refused a request for want of room that was let in at that generation. */
  refused(generation: number): void {
    const { current } = this;
    this.#quietSinceMs = this.#elapsed();
    if (generation !== this.#cuts) return;
    this.#cuts += 1;
    this.#level = Math.max(1, Math.floor(current * cutFactor));
  }

  resize(max: number): void {
    const { current } = this;
    this.#level = current === this.#max ? max : Math.min(current, max);
    this.#max = max;
  }

  #grow(): void {
    const steps = Math.floor((this.#elapsed() - this.#quietSinceMs) / quietMs);
    this.#quietSinceMs += steps * quietMs;
    this.#level = Math.min(this.#max, this.#level + steps);
  }
}
