import { type Kysely, sql } from 'kysely';
import type { Clock, Timer } from '../../core/time/clock.ts';
import type { Database } from '../store/database.ts';
import { databaseNow, engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';

export type ChangeFeed = ReturnType<typeof changeFeed>;

export interface ChangeFeedOptions {
  readonly clock: Clock;
  readonly pollMs?: number;
  readonly onError?: (error: unknown) => void;
}

const pruneEveryMs = 60_000;
/** How long a change can still be read. After a longer absence, the feed reports that everything changed. */
const keptMs = 3_600_000;

/** Polls the changes table: a change made by any process reaches the others within one poll. */
export function changeFeed(store: Store, options: ChangeFeedOptions) {
  const { clock, pollMs = 500, onError = () => {} } = options;
  const read = engineOf(store.db) === 'postgres' ? snapshotReader(store) : orderedReader(store);
  const listeners = new Set<(changes: readonly StoreChange[]) => void>();
  let timer: Timer | undefined;
  let isRunning = false;
  let freshAt = Number.NEGATIVE_INFINITY;
  let seenAt = clock.now();
  let prunedAt = Number.NEGATIVE_INFINITY;
  const following = Promise.withResolvers<void>();

  async function poll(): Promise<void> {
    const [startedAt, now] = [clock.elapsed(), clock.now()];
    try {
      const { changes, accept } = await read();
      notify(now - seenAt > keptMs ? everything : changes);
      accept();
      [freshAt, seenAt] = [startedAt, now];
      following.resolve();
      if (startedAt - prunedAt > pruneEveryMs) {
        prunedAt = startedAt;
        await prune(store);
      }
    } catch {
      // `freshAt` does not move: callers that rely on the feed see it grow old.
    }
    if (isRunning) scheduleNext();
  }

  function scheduleNext(): void {
    timer = clock.after(pollMs, () => void poll());
    timer.unref();
  }

  /** Calls every listener, then throws if one did, so that the next poll repeats the batch for it. */
  function notify(changes: readonly StoreChange[]): void {
    if (changes.length === 0) return;
    const thrown = [...listeners].flatMap((listener) => catchError(() => listener(changes)));
    for (const { error } of thrown) onError(error);
    if (thrown[0]) throw thrown[0].error;
  }

  return {
    /** Publishes a change to every process. Pass its transaction, so that both commit or neither. */
    publish: (db: Kysely<Database>, topic: ChangeTopic, subject: string) => publishChange(db, { topic, subject }),
    /** Calls the listener with each batch, including own changes. Returns a function that ends it. */
    subscribe(listener: (changes: readonly StoreChange[]) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (isRunning) return;
      isRunning = true;
      void poll();
    },
    stop() {
      isRunning = false;
      clock.cancel(timer);
    },
    /** Resolves after the first successful poll. Listeners get every later change. */
    following: following.promise,
    /** When the last successful poll began, on `clock.elapsed()`: listeners have all changes before that. */
    get freshAt() {
      return freshAt;
    },
  };
}

function catchError(work: () => void): { readonly error: unknown }[] {
  try {
    work();
    return [];
  } catch (error) {
    return [{ error }];
  }
}

/**
 * Writes a change for the feeds of all processes; belongs into the transaction that makes it. Its time, and the time of
 * its deletion, come from the database: a machine with a wrong clock must not delete changes that others still need.
 */
export async function publishChange(db: Kysely<Database>, change: StoreChange): Promise<void> {
  await db
    .insertInto('changes')
    .values({ ...change, at: databaseNow(db) })
    .execute();
}

async function prune(store: Store): Promise<void> {
  const now = databaseNow(store.db);
  const isOld = store.db
    .deleteFrom('changes')
    .where((change) => change('at', '<', change(now, '-', change.lit(keptMs))));
  await isOld.execute();
}

/**
 * `cut` makes every process abort the running answers of a key or an account. `lease` makes it return the part of its
 * account lease that it does not need. Their subjects are never `*`.
 */
export type ChangeTopic = 'key' | 'account' | 'organisation' | 'catalog' | 'cut' | 'lease';

/** A change of something that processes may have cached. The subject is an id, or `*` for all of the topic. */
export interface StoreChange {
  readonly topic: ChangeTopic;
  readonly subject: string;
}

/** Reported when changes may have been missed. */
const everything: readonly StoreChange[] = [
  { topic: 'key', subject: '*' },
  { topic: 'account', subject: '*' },
  { topic: 'catalog', subject: '*' },
];

/** Returns the changes committed since the last accepted read. The first read only finds the starting position. */
type ChangeReader = () => Promise<{ readonly changes: readonly StoreChange[]; readonly accept: () => void }>;

const batchMax = 1000;

/** Reads on from the last id. With one writer at a time that misses nothing: ids appear in order. */
function orderedReader(store: Store): ChangeReader {
  let position: number | undefined;
  return async () => {
    const rows: ChangeRow[] = [];
    let end = position ?? (await newest(store));
    for (let isMore = position !== undefined; isMore; ) {
      const batch = await after(store, end);
      rows.push(...batch);
      end = batch.at(-1)?.id ?? end;
      isMore = batch.length === batchMax;
    }
    return { changes: rows.map(changeOf), accept: () => void (position = end) };
  };
}

const windowMax = 10_000;

/**
 * PostgreSQL assigns ids before the commit order is known, so a lower id may appear after a higher one. But every row
 * that a read does not see was written by a transaction that is not older than the oldest one running at that read.
 * Each read therefore starts there again, and skips the rows it has seen. That is exact without assuming how long a
 * transaction may take, and a long one delays no other change.
 */
function snapshotReader(store: Store): ChangeReader {
  let position: { readonly oldest: bigint; readonly seen: ReadonlySet<number> } | undefined;
  return async () => {
    const { oldest, rows } = await readFrom(store, position?.oldest);
    const accept = () => void (position = { oldest, seen: new Set(rows.map(({ id }) => id)) });
    if (position === undefined) return { changes: [], accept };
    // A lower transaction id means that the database was replaced by an older copy of itself.
    if (rows.length > windowMax || oldest < position.oldest) return { changes: everything, accept };
    const { seen } = position;
    return { changes: rows.filter(({ id }) => !seen.has(id)).map(changeOf), accept };
  };
}

interface ChangeRow {
  readonly id: number;
  readonly topic: string;
  readonly subject: string;
}

function changeOf({ topic, subject }: ChangeRow): StoreChange {
  return { topic: topic as ChangeTopic, subject };
}

async function newest(store: Store): Promise<number> {
  const row = await store.db
    .selectFrom('changes')
    .select((change) => change.fn.max('id').as('id'))
    .executeTakeFirst();
  return row?.id ?? 0;
}

function after(store: Store, position: number): Promise<ChangeRow[]> {
  return store.db
    .selectFrom('changes')
    .select(['id', 'topic', 'subject'])
    .where('id', '>', position)
    .orderBy('id')
    .limit(batchMax)
    .execute();
}

/** One statement, so that the oldest running transaction and the rows come from the same snapshot. */
async function readFrom(store: Store, oldest: bigint | undefined) {
  const moment = sql<{ oldest: string }>`(select pg_snapshot_xmin(pg_current_snapshot()) as oldest)`;
  const { rows } = await sql<{ oldest: string } & (ChangeRow | { id: null })>`
    select cast(moment.oldest as text) as oldest, changes.id, changes.topic, changes.subject
    from ${moment} as moment
    left join changes on changes.txid >= coalesce(cast(${oldest?.toString() ?? null} as xid8), moment.oldest)
    order by changes.id
    limit ${sql.lit(windowMax + 1)}`.execute(store.db);
  return {
    oldest: BigInt(rows[0]?.oldest ?? 0),
    rows: rows.filter((row): row is typeof row & ChangeRow => row.id !== null),
  };
}
