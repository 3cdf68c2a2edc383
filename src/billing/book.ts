import type { Kysely } from 'kysely';
import { assert } from '../core/assert.ts';
import type { Nano } from '../core/money.ts';
import type { Database } from '../store/database.ts';

/** One movement of money and its two sides. */
export interface Booking {
  /** With the kind, names the movement for good: booking it twice is impossible. */
  readonly reference: string;
  readonly kind: BookingKind;
  readonly accountId: string;
  readonly keyId?: string | undefined;
  /** Who moved it. */
  readonly by: string;
  readonly reason: string;
  readonly priceVersion?: string | undefined;
  readonly at: number;
  /** What was held for a charge. */
  readonly held?: Nano | undefined;
  /** Signed amounts by ledger account; they sum to zero. */
  readonly entries: ReadonlyMap<string, Nano>;
}

/**
 * `reversal` is money paid in that went back to whoever paid it. `charge-rest` is what a charge made by recovery fell short
 * of, or what of it went back because it was too much.
 */
export type BookingKind = 'charge' | 'charge-rest' | 'grant' | 'top_up' | 'refund' | 'adjust' | 'reversal';

/** The two pockets of a customer, and where money comes from and goes to. */
export const ledgerAccounts = {
  granted: (accountId: string) => `customer:${accountId}:granted`,
  toppedUp: (accountId: string) => `customer:${accountId}:topped_up`,
  revenue: 'revenue',
  /** What the operator gives away. */
  promotion: 'promotion',
  /** Money that came in from, or went back to, the outside. */
  external: 'external',
  /** What a provider reported beyond the most that was held for a request, and the account could not pay. */
  loss: 'loss',
} as const;

export async function book(tx: Kysely<Database>, bookings: readonly Booking[]): Promise<void> {
  if (bookings.length === 0) return;
  await tx.insertInto('transfers').values(bookings.map(transferRow)).execute();
  const entries = bookings.flatMap(entryRows);
  if (entries.length > 0) await tx.insertInto('entries').values(entries).execute();
}

/** A movement as it stands among the transfers: what it means to the customer. */
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

/** A movement among the transfers. */
export type TransferRow = ReturnType<typeof transferRow>;

/** Its sides. */
export function entryRows({ reference, kind, entries }: Booking) {
  const sum = [...entries.values()].reduce((total, amount) => total + amount, 0n);
  assert(sum === 0n, `the sides of ${kind} ${reference} sum to zero`);
  return [...entries]
    .filter(([, amount]) => amount !== 0n)
    .map(([account, amount]) => ({ reference, kind, account, amount }));
}
