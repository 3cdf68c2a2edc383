import { LRUCache } from 'lru-cache';

/** Limited by size: for a limit on entries, lru-cache allocates a megabyte at the start, however few there are. */
export function recentlyUsed<Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1 });
}
