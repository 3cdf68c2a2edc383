import { assert } from '../core/assert.ts';

/** Memory budget of this process for bodies that are not stored yet, including those of running requests. */
export class BodyRoom {
  readonly #bytesMax: () => number;
  #taken = 0;

  constructor(bytesMax: () => number) {
    this.#bytesMax = bytesMax;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Reserves the bytes if the budget allows it; returns whether it did. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#bytesMax()) return false;
    this.#taken += bytes;
    return true;
  }

  leave(bytes: number): void {
    assert(bytes <= this.#taken, 'bodies released more memory than they reserved');
    this.#taken -= bytes;
  }
}
