import type { Kysely } from 'kysely';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import { bulkStatement } from '../store/bulk-statement.ts';
import type { Database } from '../store/database.ts';
import { type RequestRecord, type RequestRow, rowOf } from './request-record.ts';
import { hourAdder, hoursOf } from './usage-hours.ts';

/** Stores records and counts them into their hours. To be called in a transaction, so that both happen or neither. */
export interface RequestWriter {
  /** Fails if any of them is there already. */
  storeNew(tx: Kysely<Database>, records: readonly RequestRecord[]): Promise<void>;
  /** Leaves those that are there already as they are, and does not count them again. Costs a look at each. */
  storeMissing(tx: Kysely<Database>, records: readonly RequestRecord[]): Promise<void>;
}

export function requestWriter(failpoint: Failpoint = noFailpoint): RequestWriter {
  const insert = bulkStatement((db, rows: readonly RequestRow[]) => db.insertInto('requests').values([...rows]));
  const addHours = hourAdder();

  async function storeRows(tx: Kysely<Database>, rows: readonly RequestRow[]): Promise<void> {
    await insert(tx, rows);
    failpoint('requests.rows-written');
    await addHours(tx, hoursOf(rows));
    failpoint('requests.hours-written');
  }

  return {
    storeNew: (tx, records) => storeRows(tx, records.map(rowOf)),
    async storeMissing(tx, records) {
      await storeRows(tx, await missing(tx, records.map(rowOf)));
    },
  };
}

/** The rows that are not in the store, each id once. */
async function missing(tx: Kysely<Database>, rows: readonly RequestRow[]): Promise<readonly RequestRow[]> {
  const ids = new Set(rows.map(({ id }) => id));
  const stored = await tx
    .selectFrom('requests')
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  for (const { id } of stored) ids.delete(id);
  return rows.filter(({ id }) => ids.delete(id));
}
