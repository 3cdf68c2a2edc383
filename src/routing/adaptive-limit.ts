/** What is refused is judged over so many calls, and forgotten with them. */
const windowCalls = 50;
/** A provider that refuses no more than this does so for reasons of its own; going slower would not help. */
const toleratedShare = 0.2;
/** Fewer refusals say nothing, but so many need not wait for the rest of the window where they are most of it. */
const refusalsAtLeast = 3;
const plainShare = 0.3;
/** What was refused last time is tried again, but with this much more care. */
const caution = { factor: 8, answersAtLeast: 24 };

/** What was found out: how many are taken, if fewer than configured, and how many were refused last. */
export interface LearnedLimit {
  readonly level: number | undefined;
  readonly ceiling: number;
}

/**
 * How many calls a provider takes at once, found out by asking: cut by the share it refuses, one more for every as many
 * calls it takes, at most what was configured.
 */
export class AdaptiveLimit {
  readonly #max: () => number;
  /** `undefined` while nothing has lowered it. */
  #level: number | undefined;
  /** The level that was refused last. */
  #ceiling = Number.POSITIVE_INFINITY;
  #calls = 0;
  #refused = 0;
  /** The most that ran beside a refused call: so many it can take. */
  #carried = 0;
  #accepted = 0;

  constructor(max: () => number) {
    this.#max = max;
  }

  get current(): number {
    return Math.min(this.#level ?? Number.POSITIVE_INFINITY, this.#max());
  }

  get isLowered(): boolean {
    return this.#level !== undefined;
  }

  get learned(): LearnedLimit {
    return { level: this.#level, ceiling: this.#ceiling };
  }

  /** A call was taken; where it must not grow yet, the next one that is taken lets it. */
  accepted(mayGrow = true): void {
    this.#calls += 1;
    if (this.#calls >= windowCalls) this.#judge();
    if (this.#level === undefined) return;
    this.#accepted += 1;
    if (mayGrow && this.#accepted >= this.#answersToGrow(this.#level)) this.#grow(this.#level + 1);
  }

  /** What another process has found out counts as if it had been found out here. */
  adopt({ level, ceiling }: LearnedLimit): void {
    const isLess = (level ?? Number.POSITIVE_INFINITY) < this.current;
    this.#level = level === undefined || level >= this.#max() ? undefined : Math.max(1, level);
    this.#ceiling = ceiling;
    this.#startWindow();
    // Answers that were taken here count towards the next slot, whoever found the last one.
    if (isLess) this.#accepted = 0;
  }

  /** A call was refused for want of room, while so many others ran, of which some may yet be refused. */
  refused(beside: { readonly running: number; readonly undecided: number }): void {
    this.#calls += 1;
    this.#refused += 1;
    this.#carried = Math.max(this.#carried, beside.running);
    const isPlain = this.#refused >= refusalsAtLeast && this.#refused > plainShare * (this.#calls + beside.undecided);
    if (this.#calls >= windowCalls || isPlain) this.#judge();
  }

  #answersToGrow(level: number): number {
    return level + 1 < this.#ceiling ? level : Math.max(level * caution.factor, caution.answersAtLeast);
  }

  #judge(): void {
    const share = this.#refused / this.#calls;
    const carried = this.#carried;
    this.#startWindow();
    if (share > toleratedShare) this.#cut(share, carried);
  }

  /** What ran beside the refused ones is known to be possible; without that, only what was not refused. */
  #cut(share: number, carried: number): void {
    const { current } = this;
    this.#ceiling = current;
    this.#level = Math.max(1, Math.min(current - 1, Math.max(carried, Math.floor(current * (1 - share)))));
    this.#accepted = 0;
  }

  #grow(level: number): void {
    this.#level = level < this.#max() ? level : undefined;
    if (level >= this.#ceiling) this.#ceiling = Number.POSITIVE_INFINITY;
    this.#accepted = 0;
    this.#startWindow();
  }

  #startWindow(): void {
    this.#calls = 0;
    this.#refused = 0;
    this.#carried = 0;
  }
}
