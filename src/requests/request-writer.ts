import { eventStatements } from '../notifications/outbox/record-event.ts';
import { statementsFor, type FieldValue, type Job, type Row, type Steps } from '../store/job.ts';
import { insertion } from '../store/row-statements.ts';
import { type PackedRecord, packRecord, unpackRecord } from './packed-record.ts';
import { addToCounters } from './request-counters.ts';
import { requestEvents, requestSubscribers } from './request-events.ts';
import { type RequestRecord, type RequestRow, rowOf, requestColumns } from './request-record.ts';
import { insertDelta } from './rollups/rollup-job.ts';
import { ownJson } from '../core/json/own-json.ts';

/**
 * Stores records, adds them to the hourly sums and writes their events, in one transaction. Records that already exist
 * are unchanged and not counted again: after an unconfirmed commit, only the store can determine whether it took place.
 */
export const storingRequests: Job<readonly RequestRecord[], void> = {
  module: import.meta.url,
  name: 'storingRequests',
  packing: {
    pack: (records) => JSON.stringify(records.map(packRecord)),
    unpack: (text) => (ownJson(text) as readonly PackedRecord[]).map(unpackRecord),
  },
  *steps(records): Steps<void> {
    const rows = records.map(rowOf);
    const [subscribers = [], stored = []] = yield [
      requestSubscribers,
      ...statementsFor(insertRequests, rows.map(fieldsOf)),
    ];
    const ids = new Set(stored.map(({ written }: Row) => written));
    const isNew = rows.map(({ id }) => ids.delete(id));
    const added = rows.filter((_, index) => isNew[index]);
    const newest = records.filter((_, index) => isNew[index]);
    const events = eventStatements(requestEvents(newest, subscribers));
    return { last: [...insertDelta(added, newest), ...addToCounters(added, newest), ...events], result: undefined };
  },
};

const insertRequests = insertion('requests', requestColumns, { onConflict: '(id) do nothing', returnsWritten: true });

/** In the order of the columns: access by name costs several times as much. */
function fieldsOf(row: RequestRow): readonly FieldValue[] {
  return Object.values(row).map((value) => (typeof value === 'bigint' ? String(value) : value));
}
