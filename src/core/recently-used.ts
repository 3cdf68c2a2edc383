import { LRUCache } from 'lru-cache';

/**
 * Remembers so many at the most, and forgets first what was not used for longest. Counted by size, because a bound on
 * the number of entries is allocated whole at the start: a megabyte for each cache that may never hold ten keys.
 */
export function recentlyUsed<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1 });
}
