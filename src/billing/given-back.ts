import { assert } from '../core/assert.ts';
import type { Nano } from '../core/money.ts';
import { type Booking, ledgerAccounts } from './book.ts';
import type { Booked, LockedAccount, Settlement } from './charging.ts';

/**
 * Recovery charges what a dead process had noted. If that was alive after all, and its request cost less in the end, such
 * as nothing because its provider failed, the difference goes back to where it came from: the customer's own money first,
 * since what was given is spent first. Nothing if there is none.
 */
export function givenBack(
  account: LockedAccount,
  settlement: Settlement,
  known: Booked | undefined,
): { readonly booked: Booked; readonly booking: Omit<Booking, 'at'> } | undefined {
  const { requestId, accountId, cost, by } = settlement;
  if (known?.by !== 'recovery' || by === 'recovery' || cost >= known.amount) return undefined;
  const amount = known.amount - cost;
  const own = known.amount - known.granted;
  const toppedUp = amount < own ? amount : own;
  const granted = amount - toppedUp;
  assert(cost >= 0n && granted <= known.granted, 'no more is given back than was charged');
  account.granted += granted;
  account.toppedUp += toppedUp;
  const entries: ReadonlyMap<string, Nano> = new Map([
    [ledgerAccounts.granted(accountId), granted],
    [ledgerAccounts.toppedUp(accountId), toppedUp],
    [ledgerAccounts.revenue, -amount],
  ]);
  const reason = `${settlement.reason}; it cost less than recovery had charged`;
  return {
    booked: { amount: cost, granted: known.granted - granted, by },
    booking: { ...settlement, reason, reference: requestId, kind: 'charge-rest', entries },
  };
}
