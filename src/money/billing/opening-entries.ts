import type { Kysely } from 'kysely';
import type { Nano } from '../../core/money.ts';
import type { Database } from '../../platform/store/database.ts';
import { type Job, jsonText, type Steps } from '../../platform/store/job.ts';
import { runWithin } from '../../platform/store/run-tasks.ts';
import { addCharges, chargedSpend, chargedSpendRows, spendStatements } from './budgets/budget-spend.ts';
import { lockOrganisationsOf } from './budgets/limit-changes.ts';
import { type Booking, book, ledgerAccounts, transferRow } from './ledger/book.ts';
import { available, bookedAt, type LockedAccount } from './ledger/charging.ts';
import { isBooked, openBalance } from './ledger/credits.ts';
import { lockAccounts, writeAccounts } from './ledger/locked-accounts.ts';

/** The balance or the spend that an account had in the product that it is imported from. */
export interface OpeningEntry {
  readonly accountId: string;
  readonly amount: Nano;
  /** A second entry of the same kind with the same reference changes nothing. */
  readonly reference: string;
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/**
 * Books an opening balance, inside a transaction. It becomes the customer's own money; with `isGranted`, granted credit.
 * It may be negative: a prepaid account is then like one that was postpaid, and leases nothing until a payment or a credit
 * settles the open amount. Returns false if it is booked already.
 */
export async function openingBalance(
  tx: Kysely<Database>,
  entry: OpeningEntry & { readonly isGranted?: boolean },
): Promise<boolean> {
  const { accountId, amount, reference, isGranted = false } = entry;
  const account = await opened(tx, accountId);
  if (amount === 0n || (await isBooked(tx, reference, 'opening-balance'))) return false;
  const granted = isGranted && account.granted + amount >= 0n ? amount : 0n;
  account.granted += granted;
  account.toppedUp += amount - granted;
  await writeAccounts(tx, [account]);
  if (available(account) < 0n) await markOpen(tx, entry);
  const entries = new Map([
    [ledgerAccounts.granted(accountId), granted],
    [ledgerAccounts.toppedUp(accountId), amount - granted],
    [ledgerAccounts.opening, -amount],
  ]);
  await book(tx, [{ ...entry, kind: 'opening-balance', at: bookedAt(account, entry.at), entries }]);
  return true;
}

/**
 * Books earlier spend of a key, inside a transaction, so that it counts for limits as a charge does. Without a key it
 * counts for the account and its organisation. The balance stays: a credit of the same amount is booked with it. A
 * negative amount gives spend back. Returns false if it is booked already.
 */
export async function openingSpend(
  tx: Kysely<Database>,
  entry: OpeningEntry & { readonly keyId?: string | undefined },
): Promise<boolean> {
  const { accountId, amount, reference } = entry;
  const account = await opened(tx, accountId);
  if (amount === 0n || (await isBooked(tx, reference, 'opening-spend'))) return false;
  await lockOrganisationsOf(tx, [accountId]);
  const at = bookedAt(account, entry.at);
  const spend: Booking = { ...entry, at, kind: 'opening-spend', entries: sides(accountId, -amount) };
  const credit: Booking = { ...entry, keyId: undefined, at, kind: 'opening-credit', entries: sides(accountId, amount) };
  await book(tx, [spend, credit]);
  await runWithin(tx, addOpeningSpend, spend);
  return true;
}

function sides(accountId: string, amount: Nano): ReadonlyMap<string, Nano> {
  return new Map([
    [ledgerAccounts.toppedUp(accountId), amount],
    [ledgerAccounts.opening, -amount],
  ]);
}

/** Adds the spend to the stored spend of limits. The sums for usage and statements contain charges only. No event is recorded: the limits were reached before the import. */
const addOpeningSpend: Job<Booking, void> = {
  module: import.meta.url,
  name: 'addOpeningSpend',
  *steps(spend): Steps<void> {
    const { accountId, keyId } = spend;
    const parameter = jsonText({ accounts: [accountId], keys: keyId === undefined ? [] : [keyId] });
    const [rows = []] = yield [{ statement: chargedSpend, parameter }];
    const transfers = [transferRow(spend)];
    const changes = addCharges(chargedSpendRows(rows), transfers);
    return { last: spendStatements(changes), result: undefined };
  },
};

async function opened(tx: Kysely<Database>, accountId: string): Promise<LockedAccount> {
  await openBalance(tx, accountId);
  const account = (await lockAccounts(tx, [accountId])).get(accountId);
  if (!account) throw new Error(`The account ${accountId} has no balance.`);
  return account;
}

/** Otherwise the ledger check would report a balance below its floor. */
async function markOpen(tx: Kysely<Database>, { accountId, at }: OpeningEntry): Promise<void> {
  await tx.updateTable('balances').set({ postpaid_until: at }).where('account_id', '=', accountId).execute();
}
