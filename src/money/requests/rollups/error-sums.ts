import { sql } from 'kysely';
import { hourOf } from '../../../core/time/calendar-day.ts';
import type { Store } from '../../../platform/store/store.ts';
import type { SpanQuery } from './usage-rollups.ts';

export interface ErrorSum {
  readonly errorCase: string;
  readonly requests: number;
}

/** Error cases in whole hours, the most frequent first. */
export async function errorSums(store: Store, { accountId, from, to }: SpanQuery): Promise<readonly ErrorSum[]> {
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
