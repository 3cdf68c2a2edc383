/** Number of last characters compared. Another text rarely has the same characters at the same position. */
const comparedMax = 64;

/** Tracks a text that arrives in deltas, to find what the complete text adds. Keeps only its last characters. */
export class RestOfText {
  #length = 0;
  #last = '';

  get isUntold(): boolean {
    return this.#length === 0;
  }

  tell(piece: string): void {
    this.#length += piece.length;
    this.#last = (this.#last + piece).slice(-comparedMax);
  }

  /** Returns the end of the complete text that the deltas lacked, or '' if the deltas do not match the text. */
  of(whole: string): string {
    return whole.startsWith(this.#last, this.#length - this.#last.length) ? whole.slice(this.#length) : '';
  }
}
