/** Refusals are evaluated over this many calls; then the count starts again. */
const windowCalls = 50;
/** A provider that refuses no more than this share has reasons of its own; fewer calls would not help. */
const toleratedShare = 0.2;
/** This many refusals lower the limit before the window ends, if their share is above the next constant. */
const refusalsAtLeast = 3;
const conclusiveShare = 0.3;
/** The level that was refused last is tried again after `factor` times as many answers, at least `answersAtLeast`. */
const caution = { factor: 8, answersAtLeast: 24 };

/** `level`: how many calls are accepted at once, if fewer than configured. `ceiling`: the level refused last. */
export interface LearnedLimit {
  readonly level: number | undefined;
  readonly ceiling: number;
}

/**
 * Learns how many calls a provider accepts at once. Refusals cut the limit by their share. As many accepted calls as
 * the limit raise it by one, up to the configured maximum.
 */
export class AdaptiveLimit {
  readonly #max: () => number;
  /** `undefined` while nothing has lowered it. */
  #level: number | undefined;
  #ceiling = Number.POSITIVE_INFINITY;
  #calls = 0;
  #refused = 0;
  /** The most calls that ran next to a refused one: the provider can run that many. */
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

  /** A call was accepted. If the limit may not grow yet, a later accepted call raises it. */
  accepted(mayGrow = true): void {
    this.#calls += 1;
    if (this.#calls >= windowCalls) this.#judge();
    if (this.#level === undefined) return;
    this.#accepted += 1;
    if (mayGrow && this.#accepted >= this.#answersToGrow(this.#level)) this.#grow(this.#level + 1);
  }

  /** Takes over the limit that another process has learned, as if it had been learned here. */
  adopt({ level, ceiling }: LearnedLimit): void {
    const isLess = (level ?? Number.POSITIVE_INFINITY) < this.current;
    this.#level = level === undefined || level >= this.#max() ? undefined : Math.max(1, level);
    this.#ceiling = ceiling;
    this.#startWindow();
    // Answers accepted here still count towards the next raise, whichever process made the last one.
    if (isLess) this.#accepted = 0;
  }

  /** A call was refused for lack of capacity while `running` others ran, of which `undecided` may still be refused. */
  refused(others: { readonly running: number; readonly undecided: number }): void {
    this.#calls += 1;
    this.#refused += 1;
    this.#carried = Math.max(this.#carried, others.running);
    const isConclusive =
      this.#refused >= refusalsAtLeast && this.#refused > conclusiveShare * (this.#calls + others.undecided);
    if (this.#calls >= windowCalls || isConclusive) this.#judge();
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

  /** Calls that ran next to the refused ones are possible; otherwise only the share that was not refused is. */
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
