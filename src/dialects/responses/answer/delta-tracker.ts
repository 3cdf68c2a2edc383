/** Number of last characters compared. Another text rarely has the same characters at the same position. */
const comparedMax = 64;

/** Tracks a text that arrives in deltas, to find what the complete text adds. Keeps only its last characters. */
export class DeltaTracker {
  #length = 0;
  #last = '';

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#last = (this.#last + piece).slice(-comparedMax);
  }

  /** Returns the end of the complete text that the deltas lacked, or '' if the deltas do not match the text. */
  missingFrom(whole: string): string {
    return whole.startsWith(this.#last, this.#length - this.#last.length) ? whole.slice(this.#length) : '';
  }
}
