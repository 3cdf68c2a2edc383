const sampleBytesMax = 16 * 1024;
const firstBytes = 512;

/**
 * Keeps enough of a text to count its tokens later, in at most 16 KiB. The bytes are copied: slices would keep the
 * whole network reads in memory.
 */
export class TextSample {
  #bytes: Buffer | undefined;
  #length = 0;
  #charactersSeen = 0;
  #charactersKept = 0;

  add(text: string): void {
    this.#charactersSeen += text.length;
    const room = sampleBytesMax - this.#length;
    if (room < 4 || this.#charactersKept + text.length < this.#charactersSeen) return;
    const kept = text.length * 3 <= room ? text : text.slice(0, Math.floor(room / 3));
    this.#reserve(kept.length * 3);
    if (this.#bytes) this.#length += this.#bytes.write(kept, this.#length);
    this.#charactersKept += kept.length;
  }

  /** The kept beginning. */
  get text(): string {
    return this.#bytes?.toString('utf8', 0, this.#length) ?? '';
  }

  /** How many times longer the whole text is than the kept part. */
  get scale(): number {
    return this.#charactersKept === 0 ? 1 : this.#charactersSeen / this.#charactersKept;
  }

  get isEmpty(): boolean {
    return this.#charactersSeen === 0;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (this.#bytes && this.#bytes.length >= needed) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(firstBytes, this.#bytes ? this.#bytes.length * 2 : 0, needed));
    this.#bytes?.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
