/** So much of what was told last is compared: pieces of another text do not end alike at the same place. */
const comparedMax = 64;

/** Follows a text that comes in pieces, to tell what its end says beyond them, without keeping all of it. */
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

  /** What the whole text says that was not told; nothing of a text that the pieces did not belong to. */
  of(whole: string): string {
    return whole.startsWith(this.#last, this.#length - this.#last.length) ? whole.slice(this.#length) : '';
  }
}
