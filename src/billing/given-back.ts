import { assert } from '../core/assert.ts';
import type { Nano } from '../core/money.ts';
import { ledgerAccounts } from './book.ts';

/** Where a customer's money is. */
interface Pockets {
  readonly accountId: string;
  granted: Nano;
  toppedUp: Nano;
}

/** What a customer was charged for a request, and how much of it was taken from what the operator had given. */
export interface RefundedCharge {
  readonly amount: Nano;
  readonly granted: Nano;
}

/**
 * Gives back what was charged for a request beyond what it cost, to where it came from: the customer's own money first, since
 * what was given is spent first. Returns both sides of the booking, and what stays charged.
 */
export function giveBack(account: Pockets, charged: RefundedCharge, cost: Nano) {
  const amount = charged.amount - cost;
  const own = charged.amount - charged.granted;
  const toppedUp = amount < own ? amount : own;
  const granted = amount - toppedUp;
  assert(cost >= 0n && granted <= charged.granted, 'no more is given back than was charged');
  account.granted += granted;
  account.toppedUp += toppedUp;
  const entries: ReadonlyMap<string, Nano> = new Map([
    [ledgerAccounts.granted(account.accountId), granted],
    [ledgerAccounts.toppedUp(account.accountId), toppedUp],
    [ledgerAccounts.revenue, -amount],
  ]);
  return { entries, charged: { amount: cost, granted: charged.granted - granted } };
}
