import { sql } from 'kysely';
import { recentSpan, spentByAccounts } from '../../../money/billing/ledger/spend.ts';
import type { Nano } from '../../../core/money.ts';
import type { Store } from '../../../platform/store/store.ts';

export interface AccountFigures {
  readonly balance: Nano;
  /** Charges of the last 30 days. */
  readonly recentSpend: Nano;
  /** Null: no threshold. */
  readonly lowBalance: Nano | null;
  readonly keys: number;
  readonly lastUsedAt: number | undefined;
}

/** Balance, recent spend, number of keys and last use of some accounts, in three queries. */
export async function accountFigures(
  store: Store,
  ids: readonly string[],
  now: number,
): Promise<(accountId: string) => AccountFigures> {
  if (ids.length === 0) return () => none;
  const balances = await store.db
    .selectFrom('balances')
    .select([
      'account_id',
      sql<string>`cast(granted + topped_up as text)`.as('total'),
      sql<string | null>`cast(low_at as text)`.as('lowAt'),
    ])
    .where('account_id', 'in', [...ids])
    .execute();
  const keys = await store.db
    .selectFrom('api_keys')
    .select((key) => [
      'account_id',
      sql<number>`cast(sum(case when revoked_at is null then 1 else 0 end) as integer)`.as('keys'),
      key.fn.max('last_used_at').as('lastUsedAt'),
    ])
    .where('account_id', 'in', [...ids])
    .groupBy('account_id')
    .execute();
  const spendOf = await spentByAccounts(store, ids, recentSpan(now));
  const balanceOf = new Map(balances.map((row) => [row.account_id, row]));
  const usesOf = new Map(keys.map((row) => [row.account_id, row]));
  return (id) => ({
    balance: BigInt(balanceOf.get(id)?.total ?? none.balance),
    lowBalance: lowBalanceIn(balanceOf.get(id)?.lowAt),
    recentSpend: spendOf.get(id) ?? none.recentSpend,
    keys: usesOf.get(id)?.keys ?? none.keys,
    lastUsedAt: usesOf.get(id)?.lastUsedAt ?? undefined,
  });
}

function lowBalanceIn(lowAt: string | null | undefined): Nano | null {
  return lowAt ? BigInt(lowAt) : null;
}

const none: AccountFigures = { balance: 0n, lowBalance: null, recentSpend: 0n, keys: 0, lastUsedAt: undefined };
