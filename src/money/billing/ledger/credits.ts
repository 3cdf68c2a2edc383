import type { Kysely } from 'kysely';
import type { Clock } from '../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { decimalText, type Nano } from '../../../core/money.ts';
import { recordEvent } from '../../../platform/outbox/record-event.ts';
import { clearAlertState } from '../../../platform/outbox/alert-state.ts';
import type { Database } from '../../../platform/store/database.ts';
import type { Store } from '../../../platform/store/store.ts';
import { type BookingKind, book, ledgerAccounts } from './book.ts';
import { available, bookedAt, type LockedAccount } from './charging.ts';
import { balanceNow, balanceSubject, balancesBefore, lowBalanceEvents } from './low-balance.ts';
import { lockAccounts, writeAccounts } from './locked-accounts.ts';
import { broken, type BrokenRule } from 'chat-formats/reasons/reason.ts';

/** A movement that an operator or a component orders. */
export interface Credit {
  readonly accountId: string;
  readonly amount: Nano;
  /** A second order of the same kind with the same reference changes nothing. */
  readonly reference: string;
  readonly by: string;
  readonly reason: string;
}

export interface Credits {
  /** Free credit from the operator. It is spent before the customer's own money. */
  readonly grant: (credit: Credit) => Promise<{ readonly isNew: boolean }>;
  /** A payment of the customer. */
  readonly topUp: (credit: Credit) => Promise<{ readonly isNew: boolean }>;
  /** Returns a wrong charge. */
  readonly refund: (credit: Credit) => Promise<{ readonly isNew: boolean }>;
  /** A correction in either direction. It cannot take more than is available. */
  readonly adjust: (credit: Credit) => Promise<{ readonly isNew: boolean }>;
}

export function credits(store: Store, clock: Clock): Credits {
  const order = (kind: CreditKind) => (credit: Credit) =>
    store.transaction((tx) => move(tx, kind, credit, clock.now()));
  return { grant: order('grant'), topUp: order('top_up'), refund: order('refund'), adjust: order('adjust') };
}

type CreditKind = Exclude<
  BookingKind,
  'charge' | 'charge-rest' | 'reversal' | 'opening-balance' | 'opening-spend' | 'opening-credit'
>;

/** The ledger account on the other side of each kind of movement. */
const counterparts: Readonly<Record<CreditKind, string>> = {
  grant: ledgerAccounts.promotion,
  top_up: ledgerAccounts.external,
  refund: ledgerAccounts.revenue,
  adjust: ledgerAccounts.revenue,
};

async function move(tx: Kysely<Database>, kind: CreditKind, credit: Credit, now: number): Promise<{ isNew: boolean }> {
  const { accountId, reference, by, reason } = credit;
  if (credit.amount === 0n || (credit.amount < 0n && kind !== 'adjust')) throw invalidAmount(broken('not_positive'));
  await openBalance(tx, accountId);
  const account = (await lockAccounts(tx, [accountId])).get(accountId);
  if (!account) throw new Error(`account ${accountId} has no balance`);
  if (await isBooked(tx, reference, kind)) return { isNew: false };
  const { amount } = credit;
  if (amount < 0n && available(account) < -amount) throw invalidAmount(broken('above_available'));
  const at = bookedAt(account, now);
  const granted = grantedPart(kind, amount, account);
  const toppedUp = amount - granted;
  const before = balancesBefore([account]);
  addToPockets(account, granted, toppedUp);
  await writeAccounts(tx, [account]);
  const entries = new Map([
    [ledgerAccounts.granted(accountId), granted],
    [ledgerAccounts.toppedUp(accountId), toppedUp],
    [counterparts[kind], -amount],
  ]);
  await book(tx, [{ reference, kind, accountId, by, reason, at, entries }]);
  for (const low of lowBalanceEvents(before, new Map([[accountId, account]]), at)) await recordEvent(tx, low);
  if (amount > 0n) await recordCredit(tx, { kind, credit, at, balance: balanceNow(account) });
  return { isNew: true };
}

/**
 * A grant goes to the granted pocket. A deduction takes from it first, as a charge does, so that neither pocket becomes
 * negative.
 */
function grantedPart(kind: CreditKind, amount: Nano, { granted }: LockedAccount): Nano {
  if (kind === 'grant') return amount;
  if (amount > 0n) return 0n;
  return granted < -amount ? -granted : amount;
}

interface BookedCredit {
  readonly kind: CreditKind;
  readonly credit: Credit;
  readonly at: number;
  readonly balance: Nano;
}

/** Records the event, and clears the alert state: the next time the balance runs out is a new alert. */
export async function recordCredit(tx: Kysely<Database>, { kind, credit, at, balance }: BookedCredit): Promise<void> {
  const { accountId, amount, reference, reason } = credit;
  await clearAlertState(tx, balanceSubject(accountId));
  const data = { kind, amount: decimalText(amount), reference, reason, balance: decimalText(balance) };
  await recordEvent(tx, { kind: 'credit.added', accountId, at, data });
}

function addToPockets(account: LockedAccount, granted: Nano, toppedUp: Nano): void {
  account.granted += granted;
  account.toppedUp += toppedUp;
}

/** An account gets a balance row with its first movement. */
export async function openBalance(tx: Kysely<Database>, accountId: string): Promise<void> {
  await tx
    .insertInto('balances')
    .values({ account_id: accountId, granted: 0n, topped_up: 0n, leased: 0n, floor: 0n })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}

/** Whether a movement of this kind with this reference exists. */
export async function isBooked(tx: Kysely<Database>, reference: string, kind: BookingKind): Promise<boolean> {
  const row = await tx
    .selectFrom('transfers')
    .select('reference')
    .where('reference', '=', reference)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row !== undefined;
}

function invalidAmount(rule: BrokenRule): GatewayError {
  return new GatewayError('invalid-request', { problems: [{ field: 'amount', ...rule }] });
}
