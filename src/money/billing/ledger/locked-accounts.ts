import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../platform/store/database.ts';
import { engineOf } from '../../../platform/store/engine.ts';
import type { LockedAccount } from './charging.ts';

/**
 * Reads and locks balances. Every transaction that moves an account's money holds its row from here to its end, so
 * these figures stay true until the write. Rows are locked in order of id, so that two transactions cannot deadlock.
 */
export async function lockAccounts(
  tx: Kysely<Database>,
  accountIds: Iterable<string>,
): Promise<Map<string, LockedAccount>> {
  const ids = [...new Set(accountIds)].sort();
  if (ids.length === 0) return new Map();
  const query = tx
    .selectFrom('balances')
    .select([
      'account_id',
      moneyText('granted').as('granted'),
      moneyText('topped_up').as('topped_up'),
      moneyText('leased').as('leased'),
      moneyText('floor').as('floor'),
      sql<string | null>`cast(low_at as text)`.as('low_at'),
      'closed_until',
    ])
    .where('account_id', 'in', ids)
    .orderBy('account_id');
  const rows = await (engineOf(tx) === 'postgres' ? query.forUpdate() : query).execute();
  return new Map(
    rows.map((row) => [
      row.account_id,
      {
        accountId: row.account_id,
        granted: BigInt(row.granted),
        toppedUp: BigInt(row.topped_up),
        leased: BigInt(row.leased),
        floor: BigInt(row.floor),
        lowAt: row.low_at === null ? undefined : BigInt(row.low_at),
        closedUntil: row.closed_until ?? 0,
      },
    ]),
  );
}

/** Writes all in one statement: a round trip for each would dominate the cost of a batch. */
export async function writeAccounts(tx: Kysely<Database>, accounts: Iterable<LockedAccount>): Promise<void> {
  const rows = [...accounts].map(({ accountId, granted, toppedUp, leased, floor }) => ({
    account_id: accountId,
    granted,
    topped_up: toppedUp,
    leased,
    floor,
  }));
  if (rows.length === 0) return;
  await tx
    .insertInto('balances')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((row) => ({
        granted: row.ref('excluded.granted'),
        topped_up: row.ref('excluded.topped_up'),
        leased: row.ref('excluded.leased'),
      })),
    )
    .execute();
}

/** Selects a money column as text, because a database driver could round a number. */
export function moneyText(column: string) {
  return sql<string>`cast(${sql.ref(column)} as text)`;
}
