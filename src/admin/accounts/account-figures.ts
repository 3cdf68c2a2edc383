import { sql } from 'kysely';
import type { Nano } from '../../core/money.ts';
import type { Store } from '../../store/store.ts';

export interface AccountFigures {
  readonly balance: Nano;
  readonly keys: number;
  readonly lastUsedAt: number | undefined;
}

/** Balance, number of keys and last use of some accounts, in two queries. */
export async function accountFigures(
  store: Store,
  ids: readonly string[],
): Promise<(accountId: string) => AccountFigures> {
  if (ids.length === 0) return () => none;
  const balances = await store.db
    .selectFrom('balances')
    .select(['account_id', sql<string>`cast(granted + topped_up as text)`.as('total')])
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
  const balanceOf = new Map(balances.map((row) => [row.account_id, BigInt(row.total)]));
  const usesOf = new Map(keys.map((row) => [row.account_id, row]));
  return (id) => ({
    balance: balanceOf.get(id) ?? none.balance,
    keys: usesOf.get(id)?.keys ?? none.keys,
    lastUsedAt: usesOf.get(id)?.lastUsedAt ?? undefined,
  });
}

const none: AccountFigures = { balance: 0n, keys: 0, lastUsedAt: undefined };
