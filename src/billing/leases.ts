import type { Kysely } from 'kysely';
import type { Nano } from '../core/money.ts';
import type { Database } from '../store/database.ts';
import { available, lockAccounts, moneyText, writeAccounts } from './locked-accounts.ts';

/** Names what one process has set aside of one account. */
export interface LeaseName {
  readonly processId: string;
  readonly accountId: string;
}

/**
 * Sets money aside for a process: what it wants if there is plenty, exactly what it needs if there is not, or nothing.
 * The guard and the change are one transaction on the locked balance, so no two processes can set the same money aside.
 */
export async function takeLease(
  tx: Kysely<Database>,
  name: LeaseName,
  { needed, wanted }: { readonly needed: Nano; readonly wanted: Nano },
): Promise<Nano> {
  const account = (await lockAccounts(tx, [name.accountId])).get(name.accountId);
  const free = account ? available(account) : 0n;
  const taken = free >= wanted ? wanted : needed;
  if (!account || free < needed) return 0n;
  account.leased += taken;
  await writeAccounts(tx, [account]);
  await tx
    .insertInto('leases')
    .values({ process_id: name.processId, account_id: name.accountId, amount: taken })
    .onConflict((conflict) =>
      conflict.columns(['process_id', 'account_id']).doUpdateSet((row) => ({
        amount: row('leases.amount', '+', row.ref('excluded.amount')),
      })),
    )
    .execute();
  return taken;
}

/** Gives back what a process no longer needs. What is not there to give, recovery has given back already. */
export async function giveBack(tx: Kysely<Database>, name: LeaseName, amount: Nano | 'all'): Promise<void> {
  const account = (await lockAccounts(tx, [name.accountId])).get(name.accountId);
  const leases = await readLeases(tx, [name]);
  const lease = leases.of(name);
  const returned = amount === 'all' || lease.amount < amount ? lease.amount : amount;
  if (!account || returned <= 0n) return;
  lease.amount -= returned;
  account.leased -= returned;
  await writeAccounts(tx, [account]);
  await writeLeases(tx, leases);
}

/** Leases under change. */
export interface Leases {
  of(name: LeaseName): { amount: Nano };
  readonly changed: readonly (LeaseName & { amount: Nano; readonly before: Nano })[];
}

/** The balances of their accounts must be locked: a lease changes only together with its balance. */
export async function readLeases(tx: Kysely<Database>, names: readonly LeaseName[]): Promise<Leases> {
  const rows = await tx
    .selectFrom('leases')
    .select(['process_id', 'account_id', moneyText('amount').as('amount')])
    .where('account_id', 'in', [...new Set(names.map(({ accountId }) => accountId))])
    .where('process_id', 'in', [...new Set(names.map(({ processId }) => processId))])
    .execute();
  const leases = rows.map((row) => {
    const amount = BigInt(row.amount);
    return { processId: row.process_id, accountId: row.account_id, amount, before: amount };
  });
  return {
    of: ({ processId, accountId }) =>
      leases.find((lease) => lease.processId === processId && lease.accountId === accountId) ?? { amount: 0n },
    get changed() {
      return leases.filter(({ amount, before }) => amount !== before);
    },
  };
}

export async function writeLeases(tx: Kysely<Database>, { changed }: Leases): Promise<void> {
  const left = changed.filter(({ amount }) => amount > 0n);
  const used = changed.filter(({ amount }) => amount === 0n);
  if (left.length > 0) {
    await tx
      .insertInto('leases')
      .values(
        left.map(({ processId, accountId, amount }) => ({ process_id: processId, account_id: accountId, amount })),
      )
      .onConflict((conflict) =>
        conflict.columns(['process_id', 'account_id']).doUpdateSet((row) => ({ amount: row.ref('excluded.amount') })),
      )
      .execute();
  }
  for (const [processId, leases] of Map.groupBy(used, (lease) => lease.processId)) {
    const accountIds = leases.map(({ accountId }) => accountId);
    await tx.deleteFrom('leases').where('process_id', '=', processId).where('account_id', 'in', accountIds).execute();
  }
}

/** Whether another process has money of this account set aside, which it might not need. */
export async function isLeasedElsewhere(db: Kysely<Database>, { processId, accountId }: LeaseName): Promise<boolean> {
  const row = await db
    .selectFrom('leases')
    .select('process_id')
    .where('account_id', '=', accountId)
    .where('process_id', '<>', processId)
    .executeTakeFirst();
  return row !== undefined;
}
