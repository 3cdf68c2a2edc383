import { assert } from 'chat-formats/assert.ts';
import type { Nano } from '../../../core/money.ts';
import { ledgerAccounts } from './book.ts';

/** The two parts of a customer's balance. */
interface CreditBalances {
  readonly accountId: string;
  granted: Nano;
  toppedUp: Nano;
}

/** A charge, and the part of it that was paid from granted credit. */
export interface RefundableCharge {
  readonly amount: Nano;
  readonly granted: Nano;
}

/**
 * Refunds the part of a charge above the actual cost. It refunds the customer's own money first, because granted credit
 * was spent first. Returns both sides of the booking and the remaining charge.
 */
export function refundExcess(account: CreditBalances, charged: RefundableCharge, cost: Nano) {
  const amount = charged.amount - cost;
  const own = charged.amount - charged.granted;
  const toppedUp = amount < own ? amount : own;
  const granted = amount - toppedUp;
  assert(cost >= 0n && granted <= charged.granted, 'a refund is at most the charge');
  account.granted += granted;
  account.toppedUp += toppedUp;
  const entries: ReadonlyMap<string, Nano> = new Map([
    [ledgerAccounts.granted(account.accountId), granted],
    [ledgerAccounts.toppedUp(account.accountId), toppedUp],
    [ledgerAccounts.revenue, -amount],
  ]);
  return { entries, charged: { amount: cost, granted: charged.granted - granted } };
}
