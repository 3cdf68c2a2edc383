import type { Kysely } from 'kysely';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import { bulkStatement } from '../store/bulk-statement.ts';
import type { Database } from '../store/database.ts';
import { callAdder, callsOf } from './call-sums.ts';
import { errorAdder, errorsOf } from './error-hours.ts';
import { type RequestRecord, type RequestRow, rowOf } from './request-record.ts';
import { hourAdder, hoursOf, totalAdder, totalsOf } from './usage-hours.ts';

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
  const addTotals = totalAdder();
  const addErrors = errorAdder();
  const addCalls = callAdder();

  async function storeAll(tx: Kysely<Database>, records: readonly RequestRecord[]): Promise<void> {
    const rows = records.map(rowOf);
    await insert(tx, rows);
    failpoint('requests.rows-written');
    const hours = hoursOf(rows);
    await addHours(tx, hours);
    failpoint('requests.hours-written');
    await addErrors(tx, errorsOf(rows));
    // Last, since every process adds to the same few rows and holds them until it commits.
    await addCalls(tx, callsOf(records));
    await addTotals(tx, totalsOf(hours));
  }

  return {
    storeNew: storeAll,
    async storeMissing(tx, records) {
      await storeAll(tx, await missing(tx, records));
    },
  };
}

/** The records that are not in the store, each id once. */
async function missing(tx: Kysely<Database>, records: readonly RequestRecord[]): Promise<readonly RequestRecord[]> {
  const ids = new Set(records.map(({ id }) => id));
  const stored = await tx
    .selectFrom('requests')
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  for (const { id } of stored) ids.delete(id);
  return records.filter(({ id }) => ids.delete(id));
}
