import { sql } from 'kysely';
import { bulkStatement } from '../store/bulk-statement.ts';
import type { ErrorHoursTable } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { RequestRow } from './request-record.ts';
import { hourOf } from './usage-hours.ts';

/** The failures among some requests by hour, account and case. In a fixed order, so that two processes never lock each other out. */
export function errorsOf(rows: readonly RequestRow[]): readonly ErrorHoursTable[] {
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

/** Adds failures to what the hours have already. */
export function errorAdder() {
  const requests = sql<never>`error_hours.requests + excluded.requests`;
  return bulkStatement((db, hours: readonly ErrorHoursTable[]) =>
    db
      .insertInto('error_hours')
      .values([...hours])
      .onConflict((conflict) => conflict.columns(['account_id', 'hour', 'error_case']).doUpdateSet({ requests })),
  );
}

export interface ErrorSum {
  readonly errorCase: string;
  readonly requests: number;
}

/** What went wrong in whole hours, the most frequent first. */
export async function errorSums(
  store: Store,
  { accountId, from, to }: { readonly accountId?: string; readonly from: number; readonly to: number },
): Promise<readonly ErrorSum[]> {
  let query = store.db
    .selectFrom('error_hours')
    .select(['error_case as errorCase', sql<string>`cast(sum(requests) as text)`.as('requests')])
    .where('hour', '>=', hourOf(from))
    .where('hour', '<', to)
    .groupBy('error_case')
    .orderBy(sql`sum(requests) desc`)
    .orderBy('error_case');
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  const rows = await query.execute();
  return rows.map(({ errorCase, requests }) => ({ errorCase, requests: Number(requests) }));
}
