/** One buffer that doubles: for a body sent byte by byte, a list of pieces would need a hundred times its size. */
export class GrowingBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Everything so far, without a copy. Most bodies arrive in one piece, which is returned as is. */
  get bytes(): Buffer {
    return this.#size === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.#size);
  }

  take(): Buffer {
    const { bytes } = this;
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
    return bytes;
  }

  add(piece: Buffer): void {
    if (this.#size === 0) {
      this.#buffer = piece;
      this.#size = piece.length;
      return;
    }
    const size = this.#size + piece.length;
    if (size > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(size, this.#buffer.length * 2));
      this.#buffer.copy(grown, 0, 0, this.#size);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#size);
    this.#size = size;
  }
}
