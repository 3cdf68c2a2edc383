import { createHash } from 'node:crypto';
import type { Clock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';

interface Count {
  readonly level: number;
  /** When the count reaches zero. */
  readonly until: number;
  /** Changes with every write; undefined if there is no row. */
  readonly version: number | undefined;
}

export type LeakyCounts = ReturnType<typeof leakyCounts>;

interface LeakyOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Namespace, so that counts for different purposes stay separate. */
  readonly realm: string;
  readonly drainMs: number;
  readonly max: number;
}

/**
 * Leaky buckets, one for each name, shared by all processes. The count of a name falls by one every `drainMs` and never
 * exceeds `max`. Rows at zero are deleted.
 */
export function leakyCounts({ store, clock, realm, drainMs, max }: LeakyOptions) {
  // Users type names of any length, so only a digest is stored.
  const rowOf = (name: string) => createHash('sha256').update(`${realm} ${name}`).digest('hex');

  async function read(name: string): Promise<Count> {
    const row = await store.db
      .selectFrom('leaky_counts')
      .selectAll()
      .where('name', '=', rowOf(name))
      .executeTakeFirst();
    const now = clock.now();
    if (!row) return { level: 0, until: now, version: undefined };
    return { level: Math.max(0, Math.ceil((row.until - now) / drainMs)), until: row.until, version: row.version };
  }

  /** Adds one. Returns false, and changes nothing, if the count has changed since `seen` was read. */
  async function add(name: string, seen: Count): Promise<boolean> {
    const now = clock.now();
    const until = Math.min(Math.max(seen.until, now) + drainMs, now + max * drainMs);
    if (seen.version !== undefined) {
      const own = store.db.updateTable('leaky_counts').set({ until, version: seen.version + 1 });
      const changed = own.where('name', '=', rowOf(name)).where('version', '=', seen.version);
      return (await changed.executeTakeFirst()).numUpdatedRows > 0n;
    }
    await store.db.deleteFrom('leaky_counts').where('until', '<=', now).execute();
    const inserted = store.db.insertInto('leaky_counts').values({ name: rowOf(name), until, version: 1 });
    const done = await inserted.onConflict((conflict) => conflict.column('name').doNothing()).executeTakeFirst();
    return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  return {
    read,
    add,
    async subtract(name: string) {
      const own = store.db.updateTable('leaky_counts').where('name', '=', rowOf(name));
      await own.set((row) => ({ until: row('until', '-', drainMs), version: row('version', '+', 1) })).execute();
    },
    async clear(name: string) {
      await store.db.deleteFrom('leaky_counts').where('name', '=', rowOf(name)).execute();
    },
  };
}
