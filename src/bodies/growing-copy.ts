/** As much of a body as is kept. */
export interface CopiedBody {
  readonly bytes: Buffer;
  /** How long the whole of it was. */
  readonly length: number;
}

/** The beginning of a body that passes in pieces, in one buffer that doubles: most pieces are far smaller than a body. */
export class GrowingCopy {
  readonly #bytesMax: number;
  #buffer = Buffer.alloc(0);
  #size = 0;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** How much is kept. */
  get size(): number {
    return this.#size;
  }

  /** How much of a piece would be kept. */
  roomFor(piece: Buffer): number {
    return Math.min(piece.length, this.#bytesMax - this.#size);
  }

  /** Copies what is kept of it: the sender may use its memory for other things. */
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

  /** What was kept, if anything has passed at all. */
  take(): CopiedBody | undefined {
    const body = { bytes: this.#buffer.subarray(0, this.#size), length: this.#length };
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
    return body.length === 0 ? undefined : body;
  }
}
