import { objectOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

export const itemsMax = 10_000;

/** Finds the item of an event by its index, because some providers change ids; by id if there are no indexes. */
export class ItemIndexes {
  readonly #byId = new Map<string, number>();
  readonly #types = new Map<number, unknown>();
  readonly #ended = new Set<number>();
  #hasIndexes = false;
  #last = 0;
  #next = 0;

  indexOf(type: string | undefined, event: WireObject): number {
    const { output_index: named } = event;
    const item = objectOf(event.item);
    const id = nonEmptyString(event.item_id) ?? nonEmptyString(item?.id);
    if (typeof named === 'number') this.#hasIndexes = true;
    const index = typeof named === 'number' ? named : this.#withoutIndex(type, item, id);
    this.#last = index;
    this.#next = Math.max(this.#next, index + 1);
    const isNew = item !== undefined || typeof named !== 'number';
    if (isNew && id !== undefined && this.#byId.size < itemsMax) this.#byId.set(id, index);
    if (item && this.#types.size < itemsMax) this.#types.set(index, item.type);
    if (type === itemDone && this.#ended.size < itemsMax) this.#ended.add(index);
    return index;
  }

  /** Returns the index of an item in the list at the end of the response. */
  inOutput(item: WireObject, at: number): number {
    const id = nonEmptyString(item.id);
    return (this.#hasIndexes || id === undefined ? undefined : this.#byId.get(id)) ?? at;
  }

  /** An event with an unknown id belongs to the last item, unless the event begins or ends another item. */
  #withoutIndex(type: string | undefined, item: WireObject | undefined, id: string | undefined): number {
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known !== undefined) return known;
    if (type === itemAdded) return this.#next;
    const isOther = this.#ended.has(this.#last) || (this.#types.get(this.#last) ?? item?.type) !== item?.type;
    return type === itemDone && isOther ? this.#next : this.#last;
  }
}

const itemAdded = 'response.output_item.added';
const itemDone = 'response.output_item.done';
