/** The kept part of a body. */
export interface CopiedBody {
  readonly bytes: Buffer;
  /** Length of the whole body. */
  readonly length: number;
}

/** The beginning of a streamed body in one buffer that doubles in size: most pieces are far smaller than a body. */
export class GrowingCopy {
  readonly #bytesMax: number;
  #buffer = Buffer.alloc(0);
  #size = 0;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Number of kept bytes. */
  get size(): number {
    return this.#size;
  }

  /** Number of bytes of a piece that would be kept. */
  roomFor(piece: Buffer): number {
    return Math.min(piece.length, this.#bytesMax - this.#size);
  }

  /** Copies the piece, because the sender may reuse its memory. */
  add(piece: Buffer): void {
    const kept = this.roomFor(piece);
    this.#length += piece.length;
    if (kept === 0) return;
    const size = this.#size + kept;
    if (size > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(this.#bytesMax, Math.max(size, this.#buffer.length * 2)));
      this.#buffer.copy(grown, 0, 0, this.#size);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#size, 0, kept);
    this.#size = size;
  }

  /** The kept part; `undefined` if the body was empty. */
  take(): CopiedBody | undefined {
    const body = { bytes: this.#buffer.subarray(0, this.#size), length: this.#length };
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
    return body.length === 0 ? undefined : body;
  }
}
