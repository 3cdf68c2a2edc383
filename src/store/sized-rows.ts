import { sql, type Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { Store } from './store.ts';

/** A table with rows of known size for each account, and the table with the sums per account. */
interface SizedTables<Count extends string> {
  readonly table: keyof Database;
  /** Columns with the key and the write time of a row. All these tables have `account_id` and `bytes`. */
  readonly id: string;
  readonly at: string;
  readonly sums: keyof Database;
  /** The column of the sums that counts rows, next to `bytes`. */
  readonly count: Count;
  /** Rows per deletion: each row may be large, and other requests wait for the same store. */
  readonly batchSize: number;
  /** Deletes the references to deleted rows. */
  readonly deleteReferences?: (tx: Transaction<Database>, ids: readonly string[]) => Promise<unknown>;
}

/** Number of rows and their size. */
type SizedSum<Count extends string> = Readonly<Record<Count | 'bytes', number>>;

/** Number and size of the rows of one account. */
type AccountSum<Count extends string> = SizedSum<Count> & {
  readonly accountId: string;
  /** Name of the account. */
  readonly account: string;
};

/** Sums and deletion. Each deletion removes rows and updates the sums in one transaction. */
export interface SizedRows<Count extends string> {
  /**
   * Deletes these rows if they exist and, if `accountId` is given, belong to that account. Returns how many it deleted.
   */
  delete(tx: Transaction<Database>, ids: readonly string[], accountId?: string): Promise<number>;
  /** Deletes some of the rows that are older than `before`; returns whether there may be more. */
  deleteOlder(store: Store, before: number): Promise<boolean>;
  /**
   * Deletes the oldest rows of an account until it is within its quota, whichever process wrote them. The row `except`
   * stays, however large it is.
   */
  deleteOldest(store: Store, of: Quota): Promise<void>;
  /** The accounts with the most bytes. Contents are never returned. */
  most(store: Store, accountsMax: number): Promise<readonly AccountSum<Count>[]>;
  /** Sums of one account, or of all accounts. */
  total(store: Store, accountId?: string): Promise<SizedSum<Count>>;
}

export interface Quota {
  readonly accountId: string;
  readonly bytesMax: number;
  readonly except?: string;
}

export function sizedRows<Count extends string>(tables: SizedTables<Count>): SizedRows<Count> {
  const [table, id, at] = [sql.table(tables.table), sql.ref(tables.id), sql.ref(tables.at)];
  const [sums, count] = [sql.table(tables.sums), sql.ref(`sums.${tables.count}`)];

  async function rowsOf({ db }: Pick<Store, 'db'>, where: ReturnType<typeof sql>) {
    const { rows } = await sql<{ id: string; bytes: number }>`
      select ${id} as id, bytes from ${table} where ${where} order by ${at} limit ${tables.batchSize}`.execute(db);
    return rows;
  }

  async function totalOf({ db }: Pick<Store, 'db'>, accountId?: string): Promise<SizedSum<Count>> {
    const own = accountId === undefined ? sql`` : sql`where account_id = ${accountId}`;
    const { rows } = await sql<SumRow>`
      select sum(${count}) as count, sum(bytes) as bytes from ${sums} as sums ${own}`.execute(db);
    return sumOf(tables.count, rows[0]);
  }

  async function deleteAll(store: Store, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await store.transaction((tx) => deleteRows(tx, tables, { ids, accountId: undefined }));
  }

  return {
    delete: (tx, ids, accountId) => deleteRows(tx, tables, { ids, accountId }),
    async deleteOlder(store, before) {
      const rows = await rowsOf(store, sql`${at} < ${before}`);
      await deleteAll(
        store,
        rows.map((row) => row.id),
      );
      return rows.length === tables.batchSize;
    },
    async deleteOldest(store, { accountId, bytesMax, except = '' }) {
      // Other processes may delete at the same time: only under the lock is the excess exact.
      await store.transaction(
        async (tx) => {
          const { bytes } = await totalOf({ db: tx }, accountId);
          const ids: string[] = [];
          let excess = bytes - bytesMax;
          for (const row of await rowsOf({ db: tx }, sql`account_id = ${accountId} and ${id} != ${except}`)) {
            if (excess <= 0) break;
            ids.push(row.id);
            excess -= row.bytes;
          }
          await deleteRows(tx, tables, { ids, accountId: undefined });
        },
        { lock: `${tables.table} of ${accountId}` },
      );
    },
    async most(store, accountsMax) {
      const { rows } = await sql<SumRow>`
        select sums.account_id, accounts.name, ${count} as count, sums.bytes from ${sums} as sums
        left join accounts on accounts.id = sums.account_id
        where ${count} > 0 order by sums.bytes desc limit ${accountsMax}`.execute(store.db);
      return rows.map((row) => ({
        accountId: row.account_id,
        account: row.name ?? row.account_id,
        ...sumOf(tables.count, row),
      }));
    },
    total: totalOf,
  };
}

interface SumRow {
  readonly account_id: string;
  readonly name: string | null;
  readonly count: number | string | null;
  readonly bytes: number | string | null;
}

function sumOf<Count extends string>(count: Count, row: SumRow | undefined): SizedSum<Count> {
  return { [count]: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) } as SizedSum<Count>;
}

async function deleteRows(
  tx: Transaction<Database>,
  { table, id, sums, count, deleteReferences }: SizedTables<string>,
  { ids, accountId }: { readonly ids: readonly string[]; readonly accountId: string | undefined },
): Promise<number> {
  if (ids.length === 0) return 0;
  const own = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  const { rows } = await sql<{ id: string; account_id: string; bytes: number }>`
    delete from ${sql.table(table)} where ${sql.ref(id)} in (${sql.join(ids)}) ${own}
    returning ${sql.ref(id)} as id, account_id, bytes`.execute(tx);
  if (rows.length === 0) return 0;
  await deleteReferences?.(
    tx,
    rows.map((row) => row.id),
  );
  // All processes update accounts in the same order, so that they cannot deadlock.
  for (const account of [...new Set(rows.map((row) => row.account_id))].sort()) {
    const removed = rows.filter((row) => row.account_id === account);
    const bytes = removed.reduce((sum, row) => sum + row.bytes, 0);
    await sql`update ${sql.table(sums)} set ${sql.ref(count)} = ${sql.ref(count)} - ${removed.length}, bytes = bytes - ${bytes}
      where account_id = ${account}`.execute(tx);
  }
  return rows.length;
}
