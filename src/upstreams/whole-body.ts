/** A body that is read to its end before anything is done with it, up to a limit. */
export class WholeBody {
  readonly #bytesMax: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  /** Copies the piece, since it lies in a buffer that will be used again. What lies beyond the limit is not kept. */
  push(bytes: Buffer): void {
    if (!this.isTooLarge) this.#pieces.push(Buffer.from(bytes.subarray(0, this.#bytesMax - this.#bytes)));
    this.#bytes += bytes.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }
}
