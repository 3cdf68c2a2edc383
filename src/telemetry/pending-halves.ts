/**
 * Items that wait for their other half, oldest first. A few items wait at a time, for milliseconds. They are in an
 * array because a map that changes with every request keeps memory of deleted entries for long.
 */
export class PendingHalves<Half extends { readonly id: string }> {
  readonly #pending: Half[] = [];

  get size(): number {
    return this.#pending.length;
  }

  add(half: Half): void {
    this.#pending.push(half);
  }

  /** Removes and returns the item with this id. */
  take(id: string): Half | undefined {
    const index = this.#pending.findIndex((half) => half.id === id);
    return index === -1 ? undefined : this.#pending.splice(index, 1)[0];
  }

  get oldest(): Half | undefined {
    return this.#pending[0];
  }

  takeOldest(): Half | undefined {
    return this.#pending.shift();
  }
}
