import type { Kysely } from 'kysely';
import type { Nano } from '../../../core/money.ts';
import type { Database } from '../../../platform/store/database.ts';
import { lockAccounts, moneyText, writeAccounts } from '../ledger/locked-accounts.ts';
import { isOwnedBy, type LeaseOwner } from './lease-owner.ts';

/**
 * Returns the leases of expired processes, inside a transaction. It keeps the part that remaining checkpoints need:
 * otherwise their money would be spent before they can be charged.
 */
export async function releaseLeases(tx: Kysely<Database>, owner: LeaseOwner): Promise<void> {
  const names = await leasesOf(tx, owner);
  if (names.length === 0) return;
  const accounts = await lockAccounts(
    tx,
    names.map((row) => row.account_id),
  );
  const owed = await owedBy(tx, owner);
  const emptied = new Map<string, string[]>();
  // Read again, now that the balances are locked: a lease changes only together with its balance.
  for (const { process_id: processId, account_id: accountId, amount } of await leasesOf(tx, owner)) {
    const account = accounts.get(accountId);
    if (!account) continue;
    const lease = BigInt(amount);
    const kept = smaller(lease, owed.get(nameOf(processId, accountId)) ?? 0n);
    account.leased -= lease - kept;
    if (kept === 0n) emptied.set(processId, [...(emptied.get(processId) ?? []), accountId]);
    else if (kept < lease) await reduceLease(tx, { processId, accountId }, kept);
  }
  await writeAccounts(tx, accounts.values());
  for (const [processId, ids] of emptied)
    await tx.deleteFrom('leases').where('process_id', '=', processId).where('account_id', 'in', ids).execute();
}

function leasesOf(tx: Kysely<Database>, owner: LeaseOwner) {
  return tx
    .selectFrom('leases')
    .where(isOwnedBy(owner))
    .select(['process_id', 'account_id', moneyText('amount').as('amount')])
    .execute();
}

/** The part of the leases that the remaining checkpoints need: at most their holds. */
async function owedBy(tx: Kysely<Database>, owner: LeaseOwner): Promise<ReadonlyMap<string, Nano>> {
  const rows = await tx
    .selectFrom('open_charges')
    .where(isOwnedBy(owner))
    .select(['process_id', 'account_id', moneyText('cost').as('cost'), moneyText('held').as('held')])
    .execute();
  const owed = new Map<string, Nano>();
  for (const { process_id: processId, account_id: accountId, cost, held } of rows) {
    const name = nameOf(processId, accountId);
    owed.set(name, (owed.get(name) ?? 0n) + owedFor(readable(cost), readable(held)));
  }
  return owed;
}

/** If one value is unreadable, the other is the bound. */
function owedFor(cost: Nano | undefined, held: Nano | undefined): Nano {
  const owed = smaller(cost ?? held ?? 0n, held ?? cost ?? 0n);
  return owed > 0n ? owed : 0n;
}

function readable(text: string | null): Nano | undefined {
  return text !== null && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}

async function reduceLease(
  tx: Kysely<Database>,
  { processId, accountId }: { readonly processId: string; readonly accountId: string },
  amount: Nano,
): Promise<void> {
  await tx
    .updateTable('leases')
    .set({ amount })
    .where('process_id', '=', processId)
    .where('account_id', '=', accountId)
    .execute();
}

function nameOf(processId: string, accountId: string): string {
  return `${processId}\0${accountId}`;
}

function smaller(one: Nano, other: Nano): Nano {
  return one < other ? one : other;
}
