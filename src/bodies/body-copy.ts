import type { BodyBudget } from './body-budget.ts';
import { type CopiedBody, GrowingCopy } from './growing-copy.ts';

/** Both bodies of a request; `undefined` if no byte was received or sent. */
export interface CopiedBodies {
  readonly request: CopiedBody | undefined;
  readonly answer: CopiedBody | undefined;
}

/**
 * Copies both bodies of a request while they are streamed, each up to a limit. If the memory budget is exceeded, both
 * are dropped: half an exchange would look like a whole one.
 */
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
