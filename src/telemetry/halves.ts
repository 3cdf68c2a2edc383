/**
 * Halves that wait for their other half, oldest first. Few wait at a time, and each for a moment: they stand in a list, for
 * a map that changes with every request keeps what was in it long after it is gone.
 */
export class Halves<Half extends { readonly id: string }> {
  readonly #waiting: Half[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  add(half: Half): void {
    this.#waiting.push(half);
  }

  /** The one with this id, which waits no longer. */
  take(id: string): Half | undefined {
    const index = this.#waiting.findIndex((half) => half.id === id);
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  get oldest(): Half | undefined {
    return this.#waiting[0];
  }

  takeOldest(): Half | undefined {
    return this.#waiting.shift();
  }
}
