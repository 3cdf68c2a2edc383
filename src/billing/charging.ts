import { assert, InvariantViolation } from '../core/assert.ts';
import type { Nano } from '../core/money.ts';
import { type Booking, ledgerAccounts } from './book.ts';
import { type RefundedCharge, giveBack } from './given-back.ts';

/** What a finished request costs, to be charged once. */
export interface Settlement {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The process that set the money aside. */
  readonly processId: string;
  /** What was set aside for it. */
  readonly held: Nano;
  readonly cost: Nano;
  readonly priceVersion: string;
  readonly by: 'gateway' | 'recovery';
  readonly reason: string;
  readonly at: number;
  /** What was set aside of what its key may spend, where that has a cap: by which process, and of which budget. */
  readonly capLease?: { readonly processId: string; readonly budget: string };
}

/** What did not become of settlements as it should; by request. */
export interface UnsettledCharges {
  /** What was no longer set aside and could not be had otherwise: it is not charged. */
  readonly short: ReadonlyMap<string, Nano>;
  /** Nothing is booked for these: the rule of our own that it would have broken. */
  readonly broken: ReadonlyMap<string, string>;
}

/** What an account has, at a moment when nobody else can change it. */
export interface LockedAccount {
  readonly accountId: string;
  granted: Nano;
  toppedUp: Nano;
  leased: Nano;
  readonly floor: Nano;
  /** The balance at which its owners want to be told. */
  readonly lowAt?: Nano | undefined;
  /** Its months are closed up to here: nothing is booked before it any more. */
  readonly closedUntil?: number;
}

/** What was charged for a request already. */
export interface BookedCharges extends RefundedCharge {
  readonly by: string;
}

/** All that decides what becomes of settlements. Charging changes it. */
export interface ChargingState {
  readonly accounts: ReadonlyMap<string, LockedAccount>;
  /** What a process has set aside of an account. */
  readonly leaseOf: (settlement: Settlement) => { amount: Nano };
  /** What a process has set aside of what a key may spend; nothing where the key has no cap. */
  readonly capLeaseOf: (settlement: Settlement) => { amount: Nano } | undefined;
  readonly booked: Map<string, BookedCharges>;
}

/**
 * Charges requests, each at most once however often it is asked to. A charge is taken from what the process has set
 * aside; what that does not cover comes from what is available. What even that does not cover is the operator's loss as
 * far as it is more than was held, and otherwise nobody's: the money was set aside for others meanwhile. No balance goes
 * below its floor. Recovery charges what a dead process had noted: where that was alive after all and its request cost less
 * in the end, such as nothing because its provider failed, the difference goes back.
 */
export function charged(
  settlements: readonly Settlement[],
  { accounts, leaseOf, capLeaseOf, booked }: ChargingState,
): UnsettledCharges & { readonly bookings: readonly Booking[] } {
  const [bookings, broken] = [new Array<Booking>(), new Map<string, string>()];
  for (const settlement of settlements) {
    const account = accounts.get(settlement.accountId) ?? withoutMovement(settlement.accountId);
    const known = booked.get(settlement.requestId);
    const due = stillDue(settlement, known);
    const { requestId: reference, cost, by } = settlement;
    const at = bookedAt(account, settlement.at);
    try {
      if (known && isTooMuch(settlement, known)) {
        const { entries, charged: left } = giveBack(account, known, cost);
        booked.set(reference, { ...left, by });
        const reason = `${settlement.reason}; ${givenBackReason}`;
        bookings.push({ ...settlement, at, reason, reference, kind: 'charge-rest', entries });
      }
      if (due === undefined) continue;
      const { entries, paid, granted } = charge(account, leaseOf(settlement), due);
      takeFromCap(capLeaseOf(settlement), due);
      const reason = paid < due.amount - due.beyond ? `${settlement.reason}; ${shortReason}` : settlement.reason;
      booked.set(reference, { amount: due.before + paid, granted, by });
      bookings.push({ ...settlement, at, reason, reference, kind: due.kind, entries });
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error;
      broken.set(settlement.requestId, error.message);
    }
  }
  return { bookings, broken, short: shortOf(settlements, booked) };
}

/** An account has a balance from its first movement on: until then it has nothing, and what it costs is a loss as any other. */
function withoutMovement(accountId: string): LockedAccount {
  return { accountId, granted: 0n, toppedUp: 0n, leased: 0n, floor: 0n };
}

const shortReason = 'not all of it could be charged, for its money was set aside for others meanwhile';

const givenBackReason = 'it cost less than recovery had charged';

interface Due {
  readonly amount: Nano;
  /** How much of it is more than was held for the request. */
  readonly beyond: Nano;
  /** What was charged for the request already. */
  readonly before: Nano;
  readonly held: Nano;
  readonly kind: 'charge' | 'charge-rest';
}

/** Nothing if it is charged already. Recovery charges what it knows; if the process was alive after all, only the rest is due. */
function stillDue({ cost, held, by }: Settlement, known: BookedCharges | undefined): Due | undefined {
  const before = known?.amount ?? 0n;
  if (cost <= before) return undefined;
  if (known && (known.by !== 'recovery' || by === 'recovery')) return undefined;
  const amount = cost - before;
  const beyond = smaller(amount, larger(cost - held, 0n));
  return { amount, beyond, before, held, kind: known ? 'charge-rest' : 'charge' };
}

/** Whether recovery has charged more than it cost. */
function isTooMuch({ cost, by }: Settlement, known: BookedCharges): boolean {
  return known.by === 'recovery' && by !== 'recovery' && cost < known.amount;
}

/** Takes the amount from where it is, and returns both sides of the booking. */
function charge(account: LockedAccount, lease: { amount: Nano }, { amount, beyond, before, held, kind }: Due) {
  // Not more than its own share: the rest of the lease is set aside for other requests.
  const share = amount - beyond;
  const fromLease = smaller(share, lease.amount);
  const fromAvailable = smaller(amount - fromLease, larger(available(account), 0n));
  const paid = fromLease + fromAvailable;
  // A hold that was given back to its account may be spent by now: that is nobody's loss. And what recovery charged
  // beyond the hold it has lost already.
  const isHoldPaid = before + paid >= held && (kind === 'charge' || before < held);
  const loss = isHoldPaid ? amount - paid : 0n;
  const fromGranted = smaller(account.granted, paid);
  assert(loss <= beyond, 'a loss is no more than what exceeded its hold');
  assert(fromLease <= lease.amount && fromLease <= account.leased, 'a charge takes no more than is set aside');
  lease.amount -= fromLease;
  account.leased -= fromLease;
  account.granted -= fromGranted;
  account.toppedUp -= paid - fromGranted;
  const entries: ReadonlyMap<string, Nano> = new Map([
    [ledgerAccounts.granted(account.accountId), -fromGranted],
    [ledgerAccounts.toppedUp(account.accountId), fromGranted - paid],
    [ledgerAccounts.loss, -loss],
    [ledgerAccounts.revenue, paid + loss],
  ]);
  return { entries, paid, granted: fromGranted };
}

/** As much as its request had set aside of it: the rest is set aside for other requests of the key. */
function takeFromCap(lease: { amount: Nano } | undefined, { amount, beyond }: Due): void {
  if (lease) lease.amount -= smaller(amount - beyond, lease.amount);
}

/** A month that is closed never changes: what comes late is dated to the first moment behind it. */
export function bookedAt({ closedUntil = 0 }: LockedAccount, at: number): number {
  return Math.max(at, closedUntil);
}

/** What can still be set aside or spent. */
export function available({ granted, toppedUp, leased, floor }: LockedAccount): Nano {
  return granted + toppedUp - leased - floor;
}

/** Says the same however often it is asked: a reply that was lost is asked for again. */
function shortOf(
  settlements: readonly Settlement[],
  booked: ReadonlyMap<string, BookedCharges>,
): ReadonlyMap<string, Nano> {
  const short = new Map<string, Nano>();
  for (const { requestId, cost, held } of settlements) {
    const missing = smaller(cost, held) - (booked.get(requestId)?.amount ?? 0n);
    if (missing > 0n) short.set(requestId, missing);
  }
  return short;
}

function smaller(a: Nano, b: Nano): Nano {
  return a < b ? a : b;
}

function larger(a: Nano, b: Nano): Nano {
  return a > b ? a : b;
}
