import { eventStatements } from '../../platform/outbox/record-event.ts';
import { hourMs, hourOf } from '../../core/time/calendar-day.ts';
import {
  statementsFor,
  type FieldValue,
  type Job,
  type JobStatement,
  type Row,
  type SqlStatement,
  type Steps,
} from '../../platform/store/job.ts';
import { insertion } from '../../platform/store/row-statements.ts';
import { type PackedRecord, packRecord, unpackRecord } from './packed-record.ts';
import { addToCounters } from './request-counters.ts';
import { requestEvents, requestSubscribers } from './request-events.ts';
import { type RequestRecord, type RequestRow, rowOf, requestColumns } from './request-record.ts';
import { insertDelta } from './rollups/rollup-job.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

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
    return {
      last: [...deleteRefusals(added), ...insertDelta(added, newest), ...addToCounters(added, newest), ...events],
      result: undefined,
    };
  },
};

/**
 * Rows of refused requests per account and hour; older ones are deleted. A refusal costs its client nothing, so only the
 * rate of requests would limit them. The sums count all. It exceeds the rows of a commit, so that a repeated commit finds
 * its own.
 */
export const refusalsMax = 1000;

function deleteRefusals(rows: readonly RequestRow[]): readonly JobStatement[] {
  const names = rows.filter(isRefusal).map((row) => JSON.stringify([row.account_id, hourOf(row.started_at)]));
  return names.length === 0 ? [] : [{ statement: deleteOldRefusals, parameter: `[${[...new Set(names)].join()}]` }];
}

/** Refused before a provider was called. */
function isRefusal({ status, attempts }: RequestRow): boolean {
  return status >= 400 && attempts === 0;
}

const deleteOldRefusals: SqlStatement = {
  name: 'delete old refusals',
  sqlite: `delete from requests where ${oldRefusals('json_each(?1)', "'$[0]'", "wanted.value ->> '$[1]'")}`,
  // Another process may delete the same rows, in another order.
  postgres: `delete from requests where id in (select id from requests where ${oldRefusals(
    'jsonb_array_elements(cast($1 as jsonb))',
    '0',
    'cast(wanted.value ->> 1 as bigint)',
  )} for update skip locked)`,
};

function oldRefusals(names: string, account: string, hour: string): string {
  return `id in (select id from (
    select requests.id as id, row_number() over (
      partition by requests.account_id, ${hour} order by requests.started_at desc, requests.id desc) as place
    from ${names} as wanted cross join requests
    where requests.account_id = wanted.value ->> ${account} and requests.status >= 400 and requests.attempts = 0
      and requests.started_at >= ${hour} and requests.started_at < ${hour} + ${hourMs}) as refusals
    where place > ${refusalsMax})`;
}

const insertRequests = insertion('requests', requestColumns, { onConflict: '(id) do nothing', returnsWritten: true });

/** In the order of the columns: access by name costs several times as much. */
function fieldsOf(row: RequestRow): readonly FieldValue[] {
  return Object.values(row).map((value) => (typeof value === 'bigint' ? String(value) : value));
}
