import type { Kysely } from 'kysely';
import { assert } from 'chat-formats/assert.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { Nano } from '../../../core/money.ts';
import { recordEvent } from '../../../platform/outbox/record-event.ts';
import type { Database } from '../../../platform/store/database.ts';
import type { Store } from '../../../platform/store/store.ts';
import { book, ledgerAccounts } from './book.ts';
import { available, bookedAt } from './charging.ts';
import { type Credit, isBooked, recordCredit } from './credits.ts';
import { balanceNow, balancesBefore, lowBalanceEvents } from './low-balance.ts';
import { lockAccounts, moneyText, writeAccounts } from './locked-accounts.ts';

/**
 * Books that a payment went back to the payer. The amount is taken from the available balance. The part that is already
 * spent, or leased for running requests, is the operator's loss: no balance goes below its floor.
 */
export function reverse(
  store: Store,
  clock: Clock,
  { accountId, amount, reference, by, reason }: Credit,
): Promise<void> {
  return store.transaction(async (tx) => {
    const account = (await lockAccounts(tx, [accountId])).get(accountId);
    if (!account || (await isBooked(tx, reference, 'reversal'))) return;
    const left = available(account);
    const taken = left < amount ? (left < 0n ? 0n : left) : amount;
    const paid = account.toppedUp < 0n ? 0n : account.toppedUp;
    const fromGranted = smaller(taken - smaller(paid, taken), account.granted);
    const fromPaid = taken - fromGranted;
    const before = balancesBefore([account]);
    account.toppedUp -= fromPaid;
    account.granted -= fromGranted;
    await writeAccounts(tx, [account]);
    const entries = new Map<string, Nano>([
      [ledgerAccounts.toppedUp(accountId), -fromPaid],
      [ledgerAccounts.granted(accountId), -fromGranted],
      [ledgerAccounts.loss, taken - amount],
      [ledgerAccounts.external, amount],
    ]);
    const at = bookedAt(account, clock.now());
    await book(tx, [{ reference, kind: 'reversal', accountId, by, reason, at, entries }]);
    for (const low of lowBalanceEvents(before, new Map([[accountId, account]]), at)) await recordEvent(tx, low);
  });
}

/**
 * Undoes a reversal with the same reference: each amount returns to its pocket, and the operator's loss is cancelled.
 */
export function undoReversal(
  store: Store,
  clock: Clock,
  { accountId, amount, reference, by, reason }: Credit,
): Promise<void> {
  return store.transaction(async (tx) => {
    const account = (await lockAccounts(tx, [accountId])).get(accountId);
    if (!account || (await isBooked(tx, reference, 'top_up'))) return;
    const taken = await entriesOf(tx, reference);
    const given = (side: string): Nano => -(taken.get(side) ?? 0n);
    const [granted, toppedUp] = [ledgerAccounts.granted(accountId), ledgerAccounts.toppedUp(accountId)].map(given);
    assert(
      granted !== undefined && toppedUp !== undefined && granted + toppedUp <= amount,
      'a returned amount is at most the amount taken',
    );
    account.granted += granted;
    account.toppedUp += toppedUp;
    await writeAccounts(tx, [account]);
    const at = bookedAt(account, clock.now());
    const entries = new Map([...taken].map(([side, moved]) => [side, -moved]));
    await book(tx, [{ reference, kind: 'top_up', accountId, by, reason, at, entries }]);
    const credit = { accountId, amount: granted + toppedUp, reference, by, reason };
    if (credit.amount > 0n) await recordCredit(tx, { kind: 'top_up', credit, at, balance: balanceNow(account) });
  });
}

async function entriesOf(tx: Kysely<Database>, reference: string): Promise<ReadonlyMap<string, Nano>> {
  const rows = await tx
    .selectFrom('entries')
    .select(['account', moneyText('amount').as('amount')])
    .where('reference', '=', reference)
    .where('kind', '=', 'reversal')
    .execute();
  return new Map(rows.map(({ account, amount }) => [account, BigInt(amount)]));
}

function smaller(one: Nano, other: Nano): Nano {
  return one < other ? one : other;
}
