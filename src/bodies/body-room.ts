import { assert } from '../core/assert.ts';

/** What the bodies on their way to the store may take of this process's memory, those of running requests included. */
export class BodyRoom {
  readonly #bytesMax: () => number;
  #taken = 0;

  constructor(bytesMax: () => number) {
    this.#bytesMax = bytesMax;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Whether there is room for so much more; then it is taken. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#bytesMax()) return false;
    this.#taken += bytes;
    return true;
  }

  leave(bytes: number): void {
    assert(bytes <= this.#taken, 'bodies gave back more room than they had');
    this.#taken -= bytes;
  }
}
