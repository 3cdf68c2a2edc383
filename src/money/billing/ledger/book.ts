import type { Kysely } from 'kysely';
import { assert } from 'chat-formats/assert.ts';
import type { Nano } from '../../../core/money.ts';
import type { Database } from '../../../platform/store/database.ts';

/** One movement of money with both sides of its double entry. */
export interface Booking {
  /** Unique together with the kind: the same movement cannot be booked twice. */
  readonly reference: string;
  readonly kind: BookingKind;
  readonly accountId: string;
  readonly keyId?: string | undefined;
  /** The user or component that ordered it. */
  readonly by: string;
  readonly reason: string;
  readonly priceVersion?: string | undefined;
  readonly at: number;
  /** The amount held for the request, if the movement is a charge. */
  readonly held?: Nano | undefined;
  /** Signed amounts by ledger account. They sum to zero. */
  readonly entries: ReadonlyMap<string, Nano>;
}

/**
 * `reversal`: a payment went back to the payer. `charge-rest`: recovery booked a charge, and this corrects the amount
 * in either direction. `opening-balance`, `opening-spend`, `opening-credit`: the balance and the spend that an account
 * had in the product that it was imported from.
 */
export type BookingKind =
  | 'charge'
  | 'charge-rest'
  | 'grant'
  | 'top_up'
  | 'refund'
  | 'adjust'
  | 'reversal'
  | 'opening-balance'
  | 'opening-spend'
  | 'opening-credit';

/** The two sub-accounts of a customer, and the accounts on the other side of each movement. */
export const ledgerAccounts = {
  granted: (accountId: string) => `customer:${accountId}:granted`,
  toppedUp: (accountId: string) => `customer:${accountId}:topped_up`,
  revenue: 'revenue',
  /** Credit that the operator grants for free. */
  promotion: 'promotion',
  /** Payments that came in or went back. */
  external: 'external',
  /** Balances and spend from before an import. */
  opening: 'opening',
  /** Cost above the hold of a request that the account could not pay. */
  loss: 'loss',
} as const;

export async function book(tx: Kysely<Database>, bookings: readonly Booking[]): Promise<void> {
  if (bookings.length === 0) return;
  await tx.insertInto('transfers').values(bookings.map(transferRow)).execute();
  const entries = bookings.flatMap(entryRows);
  if (entries.length > 0) await tx.insertInto('entries').values(entries).execute();
}

/** The row of `transfers`. Its amount is the change of the customer's balance. */
export function transferRow({
  reference,
  kind,
  accountId,
  keyId,
  by,
  reason,
  priceVersion,
  at,
  held,
  entries,
}: Booking) {
  const sides = [ledgerAccounts.granted(accountId), ledgerAccounts.toppedUp(accountId)];
  const amount = sides.reduce((sum, side) => sum + (entries.get(side) ?? 0n), 0n);
  const names = { account_id: accountId, key_id: keyId ?? null, price_version: priceVersion ?? null };
  return { reference, kind, ...names, amount, by, reason, at, ...(held !== undefined && { held }) };
}

export type TransferRow = ReturnType<typeof transferRow>;

/** The rows of `entries`, without sides of zero. */
export function entryRows({ reference, kind, entries }: Booking) {
  const sum = [...entries.values()].reduce((total, amount) => total + amount, 0n);
  assert(sum === 0n, `the entries of ${kind} ${reference} sum to zero`);
  return [...entries]
    .filter(([, amount]) => amount !== 0n)
    .map(([account, amount]) => ({ reference, kind, account, amount }));
}
