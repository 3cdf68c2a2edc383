import type { ErrorHoursTable } from '../store/tables/usage.ts';
import { type JobStatement, statementsFor } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { RequestRow } from './request-record.ts';
import { hourOf } from './usage-hours.ts';

/** Adds failures to the existing hours. */
export function addErrors(rows: readonly RequestRow[]): readonly JobStatement[] {
  return statementsFor(
    additionToHours,
    errorsOf(rows).map(({ account_id, hour, error_case, requests }) => [account_id, hour, error_case, requests]),
  );
}

const additionToHours = addition('error_hours', { account_id: 'text', hour: 'bigint', error_case: 'text' }, [
  'requests',
]);

/** Failures by hour, account and case. The order is fixed, so that two processes cannot deadlock. */
function errorsOf(rows: readonly RequestRow[]): readonly ErrorHoursTable[] {
  const hours = new Map<string, ErrorHoursTable>();
  for (const { started_at: startedAt, account_id, error_case } of rows) {
    if (error_case === null) continue;
    const hour = hourOf(startedAt);
    const name = `${account_id}\0${hour}\0${error_case}`;
    const known = hours.get(name);
    if (known) known.requests += 1;
    else hours.set(name, { hour, account_id, error_case, requests: 1 });
  }
  return [...hours].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, hour]) => hour);
}
