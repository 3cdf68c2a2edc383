import { decimalText, type Nano } from '../core/money.ts';
import type { OutboxEvent } from '../core/outbox-event.ts';
import { newEventId } from '../outbox/record-event.ts';
import type { LockedAccount } from './charging.ts';

/** What an account has, spent or set aside or not: what its owners know as their balance. */
export function balanceNow({ granted, toppedUp }: LockedAccount): Nano {
  return granted + toppedUp;
}

/** The balances of those who want to be told when theirs is low, before money is moved. */
export function balancesBefore(accounts: Iterable<LockedAccount>): ReadonlyMap<string, Nano> {
  const before = new Map<string, Nano>();
  for (const account of accounts) {
    if (account.lowAt !== undefined) before.set(account.accountId, balanceNow(account));
  }
  return before;
}

/**
 * A notice for each account whose balance has come down to what its owners named. Asked inside the transaction that moves
 * the money, on locked balances, it is made once for each time that line is crossed, whichever process crosses it.
 */
export function lowNotices(
  before: ReadonlyMap<string, Nano>,
  accounts: ReadonlyMap<string, LockedAccount>,
  at: number,
): readonly OutboxEvent[] {
  const low: OutboxEvent[] = [];
  for (const [accountId, had] of before) {
    const account = accounts.get(accountId);
    if (account?.lowAt === undefined || had <= account.lowAt || balanceNow(account) > account.lowAt) continue;
    const data = { balance: decimalText(balanceNow(account)), threshold: decimalText(account.lowAt) };
    low.push({ id: newEventId(), kind: 'balance.low', accountId, at, data });
  }
  return low;
}

/** Under which name it is noted that requests of an account are refused for want of money. */
export function balanceSubject(accountId: string): string {
  return `balance ${accountId}`;
}
