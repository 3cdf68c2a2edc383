import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';

/** A count as it was read. */
export interface Count {
  readonly level: number;
  /** When it will be nothing again. */
  readonly until: number;
  /** Changes with every change; left out where nothing is counted. */
  readonly version: number | undefined;
}

/** Counts for any number of names, each of which falls by one from time to time by itself. All processes share them. */
export interface LeakyCounts {
  read(name: string): Promise<Count>;
  /** Adds one to what was read; says whether nobody else has changed it since. */
  add(name: string, seen: Count): Promise<boolean>;
  /** Takes one away again. */
  subtract(name: string): Promise<void>;
  clear(name: string): Promise<void>;
}

interface LeakyOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Keeps those apart who count for other reasons. */
  readonly realm: string;
  readonly drainMs: number;
  readonly max: number;
}

/** A name's count falls by one each `drainMs` and never gets above `max`; what has fallen to nothing is deleted. */
export function leakyCounts({ store, clock, realm, drainMs, max }: LeakyOptions): LeakyCounts {
  // Names are what people typed, at any length: only what tells them apart is kept.
  const rowOf = (name: string) => createHash('sha256').update(`${realm} ${name}`).digest('hex');

  async function read(name: string): Promise<Count> {
    const row = await store.db
      .selectFrom('guess_counts')
      .selectAll()
      .where('name', '=', rowOf(name))
      .executeTakeFirst();
    const now = clock.now();
    if (!row) return { level: 0, until: now, version: undefined };
    return { level: Math.max(0, Math.ceil((row.until - now) / drainMs)), until: row.until, version: row.version };
  }

  async function add(name: string, seen: Count): Promise<boolean> {
    const now = clock.now();
    const until = Math.min(Math.max(seen.until, now) + drainMs, now + max * drainMs);
    if (seen.version !== undefined) {
      const own = store.db.updateTable('guess_counts').set({ until, version: seen.version + 1 });
      const changed = own.where('name', '=', rowOf(name)).where('version', '=', seen.version);
      return (await changed.executeTakeFirst()).numUpdatedRows > 0n;
    }
    await store.db.deleteFrom('guess_counts').where('until', '<=', now).execute();
    const inserted = store.db.insertInto('guess_counts').values({ name: rowOf(name), until, version: 1 });
    const done = await inserted.onConflict((conflict) => conflict.column('name').doNothing()).executeTakeFirst();
    return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  return {
    read,
    add,
    async subtract(name) {
      const own = store.db.updateTable('guess_counts').where('name', '=', rowOf(name));
      await own.set((row) => ({ until: row('until', '-', drainMs), version: row('version', '+', 1) })).execute();
    },
    async clear(name) {
      await store.db.deleteFrom('guess_counts').where('name', '=', rowOf(name)).execute();
    },
  };
}
