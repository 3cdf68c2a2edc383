import { isUnreachable } from './unreachable.ts';

/** What a store does not take alone either, and why. */
export interface Refused<Item> {
  readonly item: Item;
  readonly error: unknown;
}

/**
 * Has a store take what it can of some items: all at once, or by halves, until those it refuses alone are found. A store
 * that is away, or takes nothing at all, has refused none of them: then this fails. What was taken until then may be offered once more.
 */
export async function bisect<Item>(
  items: readonly Item[],
  take: (some: readonly Item[]) => Promise<unknown>,
): Promise<readonly Refused<Item>[]> {
  try {
    await take(items);
    return [];
  } catch (error) {
    if (isUnreachable(error)) throw error;
    if (items.length <= 1) {
      await take([]);
      return items.map((item) => ({ item, error }));
    }
  }
  const middle = Math.ceil(items.length / 2);
  const first = await bisect(items.slice(0, middle), take);
  return [...first, ...(await bisect(items.slice(middle), take))];
}
