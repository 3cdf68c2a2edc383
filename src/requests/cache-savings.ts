import { sql } from 'kysely';
import type { Nano } from '../core/money.ts';
import { type Ask, asks } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { Store } from '../store/store.ts';
import type { RequestRecord } from './request-record.ts';
import { hourOf } from './usage-hours.ts';
import type { SpanQuery } from './usage-series.ts';

/** Adds what caches saved to what the hours have already. Requests that no cache had to do with cost nothing here. */
export function addSavings(records: readonly RequestRecord[]): readonly Ask[] {
  return asks(
    additionToHours,
    savingsOf(records).map(({ accountId, hour, saved }) => [accountId, hour, String(saved)]),
  );
}

const additionToHours = addition('cache_savings', { account_id: 'text', hour: 'bigint' }, ['amount']);

/** By hour and account. In a fixed order, so that two processes never lock each other out. */
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

/** What caches saved in each interval, by its beginning, counted from `from`. Intervals in which there was nothing are not mentioned. */
export async function savingsSeries(
  store: Store,
  { accountId, from, to, intervalMs }: SpanQuery & { readonly intervalMs: number },
): Promise<ReadonlyMap<number, Nano>> {
  const at = sql<number | string>`hour - (hour - ${sql.lit(from)}) % ${sql.lit(intervalMs)}`;
  let query = store.db
    .selectFrom('cache_savings')
    .select([at.as('at'), sql<string>`cast(sum(amount) as text)`.as('saved')])
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .groupBy(at);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  const rows = await query.execute();
  return new Map(rows.map((row) => [Number(row.at), BigInt(row.saved)]));
}
