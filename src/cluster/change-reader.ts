import { sql } from 'kysely';
import { engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';

/**
 * `cut` asks every process to end the running answers of a key or an account, `lease` to give back what it does not need
 * of an account's money; their subjects are never `*`.
 */
export type ChangeTopic = 'key' | 'account' | 'catalog' | 'cut' | 'lease';

/** Something that other processes may have cached has changed. The subject is an id, or `*` for everything of the topic. */
export interface StoreChange {
  readonly topic: ChangeTopic;
  readonly subject: string;
}

/** Stands for whatever may have been missed. */
export const everything: readonly StoreChange[] = [
  { topic: 'key', subject: '*' },
  { topic: 'account', subject: '*' },
  { topic: 'catalog', subject: '*' },
];

/** What was committed since the last reading that was accepted; the first reading only finds out where to begin. */
export type ChangeReader = () => Promise<{ readonly changes: readonly StoreChange[]; readonly accept: () => void }>;

export function changeReader(store: Store): ChangeReader {
  return engineOf(store.db) === 'postgres' ? snapshotReader(store) : orderedReader(store);
}

const batchMax = 1000;

/** Reading on from the last id misses nothing where there is one writer at a time: ids appear in their order. */
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
 * PostgreSQL hands out ids before it is known which transaction commits first, so a lower id may appear after a higher
 * one. But a row that a look does not see was written by a transaction that is not older than the oldest one running at
 * that look. Each look therefore reads again from there, and leaves out the rows it has seen before. That is exact
 * without assuming how long a transaction may take, and a long one delays nobody's news.
 */
function snapshotReader(store: Store): ChangeReader {
  let position: { readonly oldest: bigint; readonly seen: ReadonlySet<number> } | undefined;
  return async () => {
    const { oldest, rows } = await lookFrom(store, position?.oldest);
    const accept = () => void (position = { oldest, seen: new Set(rows.map(({ id }) => id)) });
    if (position === undefined) return { changes: [], accept };
    // Transactions that count backwards mean that the database was replaced by an older copy of itself.
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

/** One statement, so that the oldest running transaction and the rows belong to the same moment. */
async function lookFrom(store: Store, oldest: bigint | undefined) {
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
