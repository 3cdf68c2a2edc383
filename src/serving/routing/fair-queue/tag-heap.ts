/** An item of a heap. Only the heap writes `heapIndex` and `heapOrder`. */
export interface Tagged {
  /** The sort key; call `rank` after changing it. */
  readonly tag: number;
  /** Its index; -1 while it is in no heap. */
  heapIndex: number;
  /** Order of arrival, for equal tags. */
  heapOrder: number;
}

/** Returns its smallest item in constant time, and updates any item in logarithmic time. */
export class TagHeap<Item extends Tagged> {
  readonly #items: Item[] = [];
  #entered = 0;

  get first(): Item | undefined {
    return this.#items[0];
  }

  get second(): Item | undefined {
    const [, left, right] = this.#items;
    return left && right && isBefore(right, left) ? right : left;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Inserts an item, or moves it to its new position after its tag has changed. */
  rank(item: Item): void {
    if (item.heapIndex === -1) {
      item.heapOrder = this.#entered++;
      this.#put(item, this.#items.length);
    }
    this.#rise(item);
    this.#sink(item);
  }

  remove(item: Item): void {
    const index = item.heapIndex;
    if (index === -1) return;
    const last = this.#items.pop();
    item.heapIndex = -1;
    if (last === undefined || last === item) return;
    this.#put(last, index);
    this.rank(last);
  }

  #rise(item: Item): void {
    while (item.heapIndex > 0) {
      const parent = this.#items[(item.heapIndex - 1) >> 1];
      if (!parent || !isBefore(item, parent)) return;
      this.#swap(item, parent);
    }
  }

  #sink(item: Item): void {
    for (;;) {
      const left = this.#items[2 * item.heapIndex + 1];
      const right = this.#items[2 * item.heapIndex + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || !isBefore(child, item)) return;
      this.#swap(child, item);
    }
  }

  #swap(one: Item, other: Item): void {
    const index = one.heapIndex;
    this.#put(one, other.heapIndex);
    this.#put(other, index);
  }

  #put(item: Item, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }
}

function isBefore(one: Tagged, other: Tagged): boolean {
  return one.tag < other.tag || (one.tag === other.tag && one.heapOrder < other.heapOrder);
}
