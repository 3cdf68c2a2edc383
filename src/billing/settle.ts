import type { Kysely } from 'kysely';
import type { Nano } from '../core/money.ts';
import type { Database } from '../store/database.ts';
import { type Booking, book, ledgerAccounts } from './book.ts';
import { readLeases, writeLeases } from './leases.ts';
import { available, type LockedAccount, lockAccounts, moneyText, writeAccounts } from './locked-accounts.ts';

/** What a finished request costs, to be charged once. */
export interface Settlement {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The process that set the money aside. */
  readonly processId: string;
  /** What was set aside for it. */
  readonly held: Nano;
  readonly cost: Nano;
  readonly priceVersion: string;
  readonly by: 'gateway' | 'recovery';
  readonly reason: string;
  readonly at: number;
}

/**
 * Charges requests, each at most once however often it is asked to. A charge is taken from what the process has set
 * aside; what that does not cover comes from what is available, and the rest is the operator's loss. No balance goes
 * below its floor.
 */
export async function settle(tx: Kysely<Database>, settlements: readonly Settlement[]): Promise<void> {
  const accounts = await lockAccounts(
    tx,
    settlements.map(({ accountId }) => accountId),
  );
  const leases = await readLeases(tx, settlements);
  const booked = await alreadyBooked(tx, settlements);
  const bookings: Booking[] = [];
  for (const settlement of settlements) {
    const account = accounts.get(settlement.accountId);
    const due = stillDue(settlement, booked);
    if (!account || due === undefined) continue;
    booked.set(settlement.requestId, { amount: settlement.cost, by: settlement.by });
    const entries = charge(account, leases.of(settlement), due.amount, settlement.held);
    bookings.push({ ...settlement, reference: settlement.requestId, kind: due.kind, entries });
  }
  await book(tx, bookings);
  await writeAccounts(tx, accounts.values());
  await writeLeases(tx, leases);
  const done = settlements.map(({ requestId }) => requestId);
  await tx.deleteFrom('open_charges').where('request_id', 'in', done).execute();
}

interface Booked {
  readonly amount: Nano;
  readonly by: string;
}

interface Due {
  readonly amount: Nano;
  readonly kind: 'charge' | 'charge-rest';
}

/** Nothing if it is charged already. Recovery charges what it knows; if the process was alive after all, only the rest is due. */
function stillDue({ requestId, cost, by }: Settlement, booked: ReadonlyMap<string, Booked>): Due | undefined {
  const before = booked.get(requestId);
  if (!before) return cost > 0n ? { amount: cost, kind: 'charge' } : undefined;
  if (before.by !== 'recovery' || by === 'recovery' || cost <= before.amount) return undefined;
  return { amount: cost - before.amount, kind: 'charge-rest' };
}

/** Takes the amount from where it is, and returns both sides of the booking. */
function charge(account: LockedAccount, lease: { amount: Nano }, amount: Nano, held: Nano): ReadonlyMap<string, Nano> {
  // Not more than its own share: the rest of the lease is set aside for other requests.
  const fromLease = smaller(smaller(amount, held), lease.amount);
  const fromAvailable = smaller(amount - fromLease, larger(available(account), 0n));
  const paid = fromLease + fromAvailable;
  const fromGranted = smaller(account.granted, paid);
  lease.amount -= fromLease;
  account.leased -= fromLease;
  account.granted -= fromGranted;
  account.toppedUp -= paid - fromGranted;
  return new Map([
    [ledgerAccounts.granted(account.accountId), -fromGranted],
    [ledgerAccounts.toppedUp(account.accountId), fromGranted - paid],
    [ledgerAccounts.loss, paid - amount],
    [ledgerAccounts.revenue, amount],
  ]);
}

async function alreadyBooked(tx: Kysely<Database>, settlements: readonly Settlement[]): Promise<Map<string, Booked>> {
  const rows = await tx
    .selectFrom('transfers')
    .select(['reference', 'by', moneyText('amount').as('amount')])
    .where(
      'reference',
      'in',
      settlements.map(({ requestId }) => requestId),
    )
    .where('kind', 'in', ['charge', 'charge-rest'])
    .execute();
  const booked = new Map<string, Booked>();
  for (const { reference, by, amount } of rows) {
    const before = booked.get(reference);
    const isRest = before !== undefined;
    // A rest ends the matter, whatever was charged before it.
    booked.set(reference, { amount: (before?.amount ?? 0n) - BigInt(amount), by: isRest ? 'gateway' : by });
  }
  return booked;
}

function smaller(a: Nano, b: Nano): Nano {
  return a < b ? a : b;
}

function larger(a: Nano, b: Nano): Nano {
  return a > b ? a : b;
}
