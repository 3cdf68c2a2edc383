import { decimalText, type Nano } from '../../../core/money.ts';
import type { OutboxEvent } from '../../../core/outbox-event.ts';
import { newEventId } from '../../../platform/outbox/record-event.ts';
import { type LockedAccount, noFloor } from './charging.ts';

/** The balance as owners see it: leased money counts. */
export function balanceNow({ granted, toppedUp }: LockedAccount): Nano {
  return granted + toppedUp;
}

/** The balances, before a movement, of prepaid accounts with a low-balance threshold. */
export function balancesBefore(accounts: Iterable<LockedAccount>): ReadonlyMap<string, Nano> {
  const before = new Map<string, Nano>();
  for (const account of accounts) {
    if (account.lowAt !== undefined && account.floor > noFloor) before.set(account.accountId, balanceNow(account));
  }
  return before;
}

/**
 * Returns an event for each account whose balance fell to its threshold. Call it inside the transaction that moves the
 * money, on locked balances: each crossing then yields one event, whichever process causes it.
 */
export function lowBalanceEvents(
  before: ReadonlyMap<string, Nano>,
  accounts: ReadonlyMap<string, LockedAccount>,
  at: number,
): readonly OutboxEvent[] {
  const low: OutboxEvent[] = [];
  for (const [accountId, previous] of before) {
    const account = accounts.get(accountId);
    if (account?.lowAt === undefined || previous <= account.lowAt || balanceNow(account) > account.lowAt) continue;
    const data = { balance: decimalText(balanceNow(account)), threshold: decimalText(account.lowAt) };
    low.push({ id: newEventId(), kind: 'balance.low', accountId, at, data });
  }
  return low;
}

/** The alert subject for an account whose requests are refused because its balance is used up. */
export function balanceSubject(accountId: string): string {
  return `balance ${accountId}`;
}
