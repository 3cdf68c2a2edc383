/** A doubly linked list: any item can be removed in constant time. */
export class LinkedQueue<Item> {
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

  /** Inserts the item after the one at the link, or at the front if there is no link. */
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

  /** Removes the item. Removing a link twice has no effect. */
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

export interface Link<Item> {
  readonly item: Item;
  before: Link<Item> | undefined;
  after: Link<Item> | undefined;
  subQueue: LinkedQueue<Item> | undefined;
}
