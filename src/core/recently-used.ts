import { LRUCache } from 'lru-cache';

/**
 * An LRU cache with at most `max` entries. It is limited by size, because lru-cache allocates a limit on the number of
 * entries at the start: a megabyte for each cache that may never hold ten keys.
 */
export function recentlyUsed<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1 });
}
