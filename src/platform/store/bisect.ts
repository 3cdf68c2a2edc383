import { isUnreachable } from './postgres/unreachable.ts';

/** An item that the store rejects even in a batch of its own, with the error. */
export interface RejectedItem<Item> {
  readonly item: Item;
  readonly error: unknown;
}

/**
 * Writes a batch of items. If the store rejects the batch, splits it in half until each rejected item is isolated.
 * Throws if the store is unreachable or rejects even an empty batch: then no item is at fault. The items written before
 * that may be passed to `write` again.
 */
export async function bisect<Item>(
  items: readonly Item[],
  write: (batch: readonly Item[]) => Promise<unknown>,
): Promise<readonly RejectedItem<Item>[]> {
  try {
    await write(items);
    return [];
  } catch (error) {
    if (isUnreachable(error)) throw error;
    if (items.length <= 1) {
      await write([]);
      return items.map((item) => ({ item, error }));
    }
  }
  const middle = Math.ceil(items.length / 2);
  const first = await bisect(items.slice(0, middle), write);
  return [...first, ...(await bisect(items.slice(middle), write))];
}
