import { assert } from 'chat-formats/assert.ts';

/** Both bodies of a request; `undefined` if no byte was received or sent. */
export interface CopiedBodies {
  readonly request: CopiedBody | undefined;
  readonly answer: CopiedBody | undefined;
}

/** Beyond the memory budget both bodies are dropped: half an exchange would look like a whole one. */
export class BodyCopy {
  readonly #budget: BodyBudget;
  readonly #request: GrowingCopy;
  readonly #answer: GrowingCopy;
  #isDropped = false;

  constructor(budget: BodyBudget, bytesMax: number) {
    this.#budget = budget;
    this.#request = new GrowingCopy(bytesMax);
    this.#answer = new GrowingCopy(bytesMax);
  }

  received(bytes: Buffer): void {
    this.#add(this.#request, bytes);
  }

  sent(piece: string | Buffer, encoding: BufferEncoding): void {
    if (!this.#isDropped) this.#add(this.#answer, typeof piece === 'string' ? Buffer.from(piece, encoding) : piece);
  }

  /** Returns both copies and frees their memory budget; `undefined` if they were dropped. */
  take(): CopiedBodies | undefined {
    if (this.#isDropped) return undefined;
    this.#budget.release(this.#request.size + this.#answer.size);
    this.#isDropped = true;
    return { request: this.#request.take(), answer: this.#answer.take() };
  }

  #add(copy: GrowingCopy, bytes: Buffer): void {
    if (this.#isDropped) return;
    if (this.#budget.reserve(copy.roomFor(bytes))) copy.add(bytes);
    else this.take();
  }
}

/** Memory budget of this process for bodies that are not stored yet, including those of running requests. */
export class BodyBudget {
  readonly #bytesMax: () => number;
  #reserved = 0;

  constructor(bytesMax: () => number) {
    this.#bytesMax = bytesMax;
  }

  get reserved(): number {
    return this.#reserved;
  }

  reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.#bytesMax()) return false;
    this.#reserved += bytes;
    return true;
  }

  release(bytes: number): void {
    assert(bytes <= this.#reserved, 'bodies released more memory than they reserved');
    this.#reserved -= bytes;
  }
}

export interface CopiedBody {
  readonly bytes: Buffer;
  /** Length of the whole body. */
  readonly length: number;
}

/** The beginning of a streamed body in one buffer that doubles in size: most pieces are far smaller than a body. */
class GrowingCopy {
  readonly #bytesMax: number;
  #buffer = Buffer.alloc(0);
  #size = 0;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get size(): number {
    return this.#size;
  }

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

  take(): CopiedBody | undefined {
    const body = { bytes: this.#buffer.subarray(0, this.#size), length: this.#length };
    this.#buffer = Buffer.alloc(0);
    this.#size = 0;
    return body.length === 0 ? undefined : body;
  }
}
