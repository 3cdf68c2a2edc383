import type { Kysely } from 'kysely';
import { assert } from '../core/assert.ts';
import type { Nano } from '../core/money.ts';
import type { Database } from '../store/database.ts';
import { engineOf } from '../store/engine.ts';
import { available, lockAccounts, moneyText, writeAccounts } from './locked-accounts.ts';

/** Names what one process has set aside of one account. */
export interface LeaseName {
  readonly processId: string;
  readonly accountId: string;
}

/** What a process has set aside of an account's money, as it knows it, and what it wants of more. */
export interface LeaseWish {
  /** All that it knows to be set aside. What the store has beyond that was set aside without its hearing of it. */
  readonly leased: Nano;
  /** How much of it no request needs. */
  readonly free: Nano;
  /** What requests wait for, in the order they came. */
  readonly amounts: readonly Nano[];
  /** What to do with money that nobody waits for: keep it, and some more where there is plenty, or give it back. */
  readonly spare: 'keep' | 'give-back';
}

/** What came of it. */
export interface LeaseOutcome {
  /** All that is set aside now. */
  readonly leased: Nano;
  /** How much of it no request had before. */
  readonly free: Nano;
  /** By the amounts that were asked for: whether it is among what is free now. */
  readonly isPaid: readonly boolean[];
  /** What the account has left that nobody has set aside. */
  readonly available: Nano;
  /** What other processes have set aside; only asked for where somebody could not be paid. */
  readonly elsewhere: Nano;
}

/** A lease is larger than what is needed now by so many times the largest request at hand, so that the next ones need no store. */
const headroomRequests = 8n;

/**
 * Sets aside what serves as many as possible of those who wait, in their order; a smaller one passes a larger one that
 * cannot be paid. The guard and the change are one transaction on the locked balance, so no two processes can set the
 * same money aside. Where somebody cannot be paid and others have money set aside, what serves nobody here goes back: two
 * processes that each keep a part would otherwise both refuse. `undefined` when the process was taken for dead.
 */
export async function adjustLease(
  tx: Kysely<Database>,
  name: LeaseName,
  wish: LeaseWish,
): Promise<LeaseOutcome | undefined> {
  if (!(await isRegistered(tx, name.processId))) return undefined;
  const account = (await lockAccounts(tx, [name.accountId])).get(name.accountId);
  if (!account) return { ...wish, isPaid: wish.amounts.map(() => false), available: 0n, elsewhere: 0n };
  const stored = await leasesOf(tx, name);
  // What was asked for and not confirmed is ours too. A charge that has just landed hides it; it is found the next time.
  const unheardOf = stored.own > wish.leased ? stored.own - wish.leased : 0n;
  const pool = wish.free + unheardOf;
  const inAccount = available(account) > 0n ? available(account) : 0n;
  const { isPaid, needed } = payable(wish.amounts, pool + inAccount);
  const elsewhere = isPaid.includes(false) ? stored.elsewhere : 0n;
  const free = wish.spare === 'give-back' || elsewhere > 0n ? needed : kept(wish.amounts, needed, pool, inAccount);
  const change = free - pool;
  assert(stored.own + change >= 0n && account.leased + change >= 0n, 'no lease is below nothing');
  assert(change <= inAccount, 'nothing is set aside that is not available');
  if (change !== 0n) {
    account.leased += change;
    await writeAccounts(tx, [account]);
    await writeLease(tx, name, stored.own + change);
  }
  return { leased: wish.leased + unheardOf + change, free, isPaid, available: inAccount - change, elsewhere };
}

/** Who can be paid from a sum, each in turn as far as it goes. */
function payable(amounts: readonly Nano[], sum: Nano): { readonly isPaid: readonly boolean[]; readonly needed: Nano } {
  let needed = 0n;
  const isPaid = amounts.map((amount) => {
    if (needed + amount > sum) return false;
    needed += amount;
    return true;
  });
  return { isPaid, needed };
}

/** Some more than is needed if there is plenty, exactly that if there is not. */
function kept(amounts: readonly Nano[], needed: Nano, pool: Nano, inAccount: Nano): Nano {
  if (pool >= needed) return pool;
  const largest = amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
  const wanted = needed + headroomRequests * largest;
  return wanted - pool <= inAccount ? wanted : needed;
}

/** Whoever holds the row of a process keeps others from taking it for dead until the end of the transaction. */
export async function isRegistered(tx: Kysely<Database>, processId: string): Promise<boolean> {
  const query = tx.selectFrom('processes').select('id').where('id', '=', processId);
  return (await (engineOf(tx) === 'postgres' ? query.forKeyShare() : query).executeTakeFirst()) !== undefined;
}

async function leasesOf(tx: Kysely<Database>, { processId, accountId }: LeaseName) {
  const rows = await tx
    .selectFrom('leases')
    .select(['process_id', moneyText('amount').as('amount')])
    .where('account_id', '=', accountId)
    .execute();
  const sum = { own: 0n, elsewhere: 0n };
  for (const row of rows) sum[row.process_id === processId ? 'own' : 'elsewhere'] += BigInt(row.amount);
  return sum;
}

async function writeLease(tx: Kysely<Database>, { processId, accountId }: LeaseName, amount: Nano): Promise<void> {
  if (amount === 0n) {
    await tx.deleteFrom('leases').where('process_id', '=', processId).where('account_id', '=', accountId).execute();
    return;
  }
  await tx
    .insertInto('leases')
    .values({ process_id: processId, account_id: accountId, amount })
    .onConflict((conflict) =>
      conflict.columns(['process_id', 'account_id']).doUpdateSet((row) => ({ amount: row.ref('excluded.amount') })),
    )
    .execute();
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
