import { sql } from 'kysely';
import type { Nano } from '../core/money.ts';
import type { Store } from '../store/store.ts';
import type { SpanQuery } from './usage-series.ts';

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
