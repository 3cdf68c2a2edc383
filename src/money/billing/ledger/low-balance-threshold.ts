import { type Kysely, sql } from 'kysely';
import type { Nano } from '../../../core/money.ts';
import type { Database } from '../../../platform/store/database.ts';

/** Sets the low-balance threshold of an account. `undefined` switches the alert off. */
export async function setLowBalance(db: Kysely<Database>, accountId: string, lowAt: Nano | undefined): Promise<void> {
  const low_at = lowAt ?? null;
  await db
    .insertInto('balances')
    .values({ account_id: accountId, granted: 0n, topped_up: 0n, leased: 0n, floor: 0n, low_at })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ low_at }))
    .execute();
}

export async function lowBalanceOf(db: Kysely<Database>, accountId: string): Promise<Nano | undefined> {
  const row = await db
    .selectFrom('balances')
    .select(sql<string | null>`cast(low_at as text)`.as('lowAt'))
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.lowAt ? BigInt(row.lowAt) : undefined;
}
