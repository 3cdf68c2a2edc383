import type { Kysely } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';

/**
 * `cut` asks every process to end the running answers of a key or an account, `lease` to give back what it does not need
 * of an account's money; their subjects are never `*`.
 */
export type ChangeTopic = 'key' | 'account' | 'catalog' | 'cut' | 'lease';

/** Something that other processes may have cached has changed. The subject is an id, or `*` for everything of the topic. */
export interface Change {
  readonly topic: ChangeTopic;
  readonly subject: string;
}

export interface ChangeFeed {
  /** Tells every process of a change. Given the transaction of that change, both are seen or neither. */
  publish(db: Kysely<Database>, topic: ChangeTopic, subject: string): Promise<void>;
  /** Calls the listener with each batch of changes, this process's own included. Returns how to stop that. */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
  start(): void;
  stop(): void;
  /** When the store was last asked with success, by `clock.elapsed()`; everything committed before is known. */
  readonly freshAt: number;
}

const batchMax = 1000;
const pruneEveryMs = 60_000;
/** How long a change can still be read. A reader that was away for longer is told that everything changed. */
const keptMs = 3_600_000;
const everything: readonly Change[] = [
  { topic: 'key', subject: '*' },
  { topic: 'account', subject: '*' },
  { topic: 'catalog', subject: '*' },
];

/**
 * The changes table read as a feed: a change made by any process reaches the others within one poll. Reading on from the
 * last id misses nothing because the embedded store has one writer at a time, so ids appear in their order.
 */
export function changeFeed(store: Store, options: { clock: Clock; pollMs?: number }): ChangeFeed {
  const { clock, pollMs = 500 } = options;
  const listeners = new Set<(changes: readonly Change[]) => void>();
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let position: number | undefined;
  let freshAt = Number.NEGATIVE_INFINITY;
  let seenAt = clock.now();
  let prunedAt = Number.NEGATIVE_INFINITY;

  async function round(): Promise<void> {
    const [startedAt, now] = [clock.elapsed(), clock.now()];
    try {
      const { changes, end } = await read(position);
      tell(now - seenAt > keptMs ? everything : changes);
      [position, freshAt, seenAt] = [end, startedAt, now];
      if (startedAt - prunedAt > pruneEveryMs) {
        prunedAt = startedAt;
        await prune(store, now - keptMs);
      }
    } catch {
      // `freshAt` stays where it is: whoever relies on the feed sees it grow old.
    }
    if (running) timer = setTimeout(() => void round(), pollMs).unref();
  }

  async function read(start: number | undefined): Promise<{ changes: readonly Change[]; end: number }> {
    if (start === undefined) return { changes: [], end: await newest(store) };
    const changes: Change[] = [];
    for (let end = start; ; ) {
      const rows = await after(store, end);
      changes.push(...rows.map((row) => ({ topic: row.topic as ChangeTopic, subject: row.subject })));
      end = rows.at(-1)?.id ?? end;
      if (rows.length < batchMax) return { changes, end };
    }
  }

  function tell(changes: readonly Change[]): void {
    if (changes.length > 0) for (const listener of listeners) listener(changes);
  }

  return {
    publish: (db, topic, subject) => publishChange(db, { topic, subject }, clock.now()),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (running) return;
      running = true;
      void round();
    },
    stop() {
      running = false;
      clearTimeout(timer);
    },
    get freshAt() {
      return freshAt;
    },
  };
}

/** Writes a change for the feeds of all processes; belongs into the transaction that makes it. */
export async function publishChange(db: Kysely<Database>, change: Change, at: number): Promise<void> {
  await db
    .insertInto('changes')
    .values({ ...change, at })
    .execute();
}

async function newest(store: Store): Promise<number> {
  const row = await store.db
    .selectFrom('changes')
    .select((change) => change.fn.max('id').as('id'))
    .executeTakeFirst();
  return row?.id ?? 0;
}

function after(store: Store, position: number) {
  return store.db
    .selectFrom('changes')
    .select(['id', 'topic', 'subject'])
    .where('id', '>', position)
    .orderBy('id')
    .limit(batchMax)
    .execute();
}

async function prune(store: Store, before: number): Promise<void> {
  await store.db.deleteFrom('changes').where('at', '<', before).execute();
}
