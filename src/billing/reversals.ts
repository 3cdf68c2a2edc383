import type { Clock } from '../core/clock.ts';
import type { Nano } from '../core/money.ts';
import type { Store } from '../store/store.ts';
import { book, ledgerAccounts } from './book.ts';
import { available, bookedAt } from './charging.ts';
import { type Credit, isBooked } from './credits.ts';
import { lockAccounts, writeAccounts } from './locked-accounts.ts';

/**
 * Books that money which was paid in went back to whoever paid it. It is taken from what is available; what was spent
 * already, or is set aside for running requests, is the operator's loss: no balance goes below its floor.
 */
export function takeBack(
  store: Store,
  clock: Clock,
  { accountId, amount, reference, by, reason }: Credit,
): Promise<void> {
  return store.transaction(async (tx) => {
    const account = (await lockAccounts(tx, [accountId])).get(accountId);
    if (!account || (await isBooked(tx, reference, 'reversal'))) return;
    const left = available(account);
    const taken = left < amount ? (left < 0n ? 0n : left) : amount;
    const fromPaid = account.toppedUp < taken ? (account.toppedUp < 0n ? 0n : account.toppedUp) : taken;
    account.toppedUp -= fromPaid;
    account.granted -= taken - fromPaid;
    await writeAccounts(tx, [account]);
    const entries = new Map<string, Nano>([
      [ledgerAccounts.toppedUp(accountId), -fromPaid],
      [ledgerAccounts.granted(accountId), fromPaid - taken],
      [ledgerAccounts.loss, taken - amount],
      [ledgerAccounts.external, amount],
    ]);
    const at = bookedAt(account, clock.now());
    await book(tx, [{ reference, kind: 'reversal', accountId, by, reason, at, entries }]);
  });
}
