/** A sub-queue of items that lets any of them step out, wherever it stands, without looking at the others. */
export class LinkedSubQueue<Item> {
  #first: Link<Item> | undefined;
  #last: Link<Item> | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get first(): Item | undefined {
    return this.#first?.item;
  }

  get last(): Item | undefined {
    return this.#last?.item;
  }

  get firstLink(): Link<Item> | undefined {
    return this.#first;
  }

  get lastLink(): Link<Item> | undefined {
    return this.#last;
  }

  push(item: Item): Link<Item> {
    return this.insertAfter(this.#last, item);
  }

  /** Puts the item behind the one at the link, or before all where there is no link. */
  insertAfter(before: Link<Item> | undefined, item: Item): Link<Item> {
    const after = before ? before.after : this.#first;
    const link: Link<Item> = { item, before, after, subQueue: this };
    if (before) before.after = link;
    else this.#first = link;
    if (after) after.before = link;
    else this.#last = link;
    this.#length += 1;
    return link;
  }

  /** Takes the item out; a link that is out already may be removed again. */
  remove(link: Link<Item>): void {
    if (link.subQueue !== this) return;
    link.subQueue = undefined;
    if (link.before) link.before.after = link.after;
    else this.#first = link.after;
    if (link.after) link.after.before = link.before;
    else this.#last = link.before;
    this.#length -= 1;
  }
}

/** Where an item stands in its sub-queue. */
export interface Link<Item> {
  readonly item: Item;
  before: Link<Item> | undefined;
  after: Link<Item> | undefined;
  subQueue: LinkedSubQueue<Item> | undefined;
}
