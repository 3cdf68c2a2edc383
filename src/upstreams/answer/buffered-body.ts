export class BufferedBody {
  readonly #bytesMax: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  /** Copies the bytes, because their buffer is reused. Bytes beyond the limit are dropped. */
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
