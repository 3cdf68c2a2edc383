import { sql } from 'kysely';
import type { Nano } from '../../../core/money.ts';
import type { Store } from '../../../platform/store/store.ts';
import type { SpanQuery } from './usage-rollups.ts';

/** Cache savings per interval, by its start, counted from `from`. Intervals without savings are left out. */
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
