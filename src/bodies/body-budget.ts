import { assert } from '../core/assert.ts';

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

  /** Reserves the bytes if the budget allows it; returns whether it did. */
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
