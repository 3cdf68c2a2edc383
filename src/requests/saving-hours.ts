import type { Nano } from '../core/money.ts';
import { type JobStatement, statementsFor } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { RequestRecord } from './request-record.ts';
import { hourOf } from './usage-hours.ts';

/** Adds cache savings to the existing hours. Requests without cache use cost nothing here. */
export function addSavings(records: readonly RequestRecord[]): readonly JobStatement[] {
  return statementsFor(
    additionToHours,
    savingsOf(records).map(({ accountId, hour, saved }) => [accountId, hour, String(saved)]),
  );
}

const additionToHours = addition('cache_savings', { account_id: 'text', hour: 'bigint' }, ['amount']);

/** Sums by hour and account. The order is fixed, so that two processes cannot deadlock. */
function savingsOf(records: readonly RequestRecord[]): readonly HourSaved[] {
  const hours = new Map<string, HourSaved>();
  for (const { startedAt, accountId, cacheSavings } of records) {
    if (cacheSavings === undefined) continue;
    const hour = hourOf(startedAt);
    const name = `${accountId}\0${hour}`;
    const saved = (hours.get(name)?.saved ?? 0n) + cacheSavings;
    hours.set(name, { accountId, hour, saved });
  }
  return [...hours].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, hour]) => hour);
}

interface HourSaved {
  readonly accountId: string;
  readonly hour: number;
  readonly saved: Nano;
}
