import { sql } from 'kysely';
import type { Nano } from '../../../core/money.ts';
import { dayMs } from '../../../core/time/calendar-day.ts';
import type { Store } from '../../../platform/store/store.ts';
import { moneyText } from './locked-accounts.ts';

export interface SpendQuery {
  readonly accountId?: string;
  /** A whole hour. Intervals start here. */
  readonly from: number;
  readonly to: number;
}

/** The charges of each interval, by its start: ledger charges, summed by the hour of their booking. */
export async function spendSeries(
  store: Store,
  query: SpendQuery & { readonly intervalMs: number },
): Promise<ReadonlyMap<number, Nano>> {
  const { from, intervalMs } = query;
  const at = sql<number | string>`hour - (hour - ${sql.lit(from)}) % ${sql.lit(intervalMs)}`;
  const rows = await within(store, query)
    .select([at.as('at'), spent])
    .groupBy(at)
    .execute();
  return new Map(rows.map((row) => [Number(row.at), BigInt(row.spent)]));
}

export interface SpendLine {
  readonly id: string;
  /** The account itself, or that of the key. */
  readonly accountId: string;
  readonly spent: Nano;
}

/** The keys or accounts with the highest charges. */
export async function topSpenders(
  store: Store,
  query: SpendQuery & { readonly by: 'key_id' | 'account_id'; readonly limit: number },
): Promise<readonly SpendLine[]> {
  const rows = await within(store, query)
    .select([`${query.by} as id`, (row) => row.fn.min('account_id').as('accountId'), spent])
    .groupBy(query.by)
    .orderBy(sql`sum(amount) desc`)
    .orderBy(query.by)
    .limit(query.limit)
    .execute();
  return rows.map((row) => ({ id: row.id, accountId: row.accountId, spent: BigInt(row.spent) }));
}

/** Recent charges: whole hours, the last of which is the current one. */
export function recentSpan(now: number): { readonly from: number; readonly to: number } {
  const to = Math.ceil(now / hourMs) * hourMs;
  return { from: to - recentDays * dayMs, to };
}

export const recentDays = 30;
const hourMs = 3_600_000;

/** The charges of some accounts. Accounts without a charge are left out. */
export async function spentByAccounts(
  store: Store,
  accountIds: readonly string[],
  span: SpendQuery,
): Promise<ReadonlyMap<string, Nano>> {
  const rows = await within(store, span)
    .select(['account_id as id', spent])
    .where('account_id', 'in', [...accountIds])
    .groupBy('account_id')
    .execute();
  return new Map(rows.map((row) => [row.id, BigInt(row.spent)]));
}

/** The total charges of each key. */
export async function spentByKeys(store: Store, keyIds: readonly string[]): Promise<ReadonlyMap<string, Nano>> {
  if (keyIds.length === 0) return new Map();
  const rows = await store.db
    .selectFrom('key_spend')
    .select(['key_id', moneyText('spent').as('spent')])
    .where('key_id', 'in', [...keyIds])
    .execute();
  return new Map(rows.map((row) => [row.key_id, BigInt(row.spent)]));
}

const spent = sql<string>`cast(sum(amount) as text)`.as('spent');

function within(store: Store, { accountId, from, to }: SpendQuery) {
  const hours = store.db.selectFrom('spend_hours').where('hour', '>=', from).where('hour', '<', to);
  return accountId === undefined ? hours : hours.where('account_id', '=', accountId);
}
