import { assert, InvariantViolation } from 'chat-formats/assert.ts';
import type { LineOutcome } from '../../../core/line-outcome.ts';
import type { Nano } from '../../../core/money.ts';
import { type Booking, ledgerAccounts } from './book.ts';
import { type RefundableCharge, refundExcess } from './refund-excess.ts';

/** The final cost of a request, to be charged at most once. */
export interface Settlement {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The process (incarnation) whose lease pays. */
  readonly processId: string;
  /** The amount held for the request. */
  readonly held: Nano;
  readonly cost: Nano;
  readonly priceVersion: string;
  readonly by: 'gateway' | 'recovery';
  readonly reason: string;
  readonly at: number;
  /** The leases of budgets that pay too: the process and budget of each. */
  readonly budgetLeases?: readonly { readonly processId: string; readonly budget: string }[];
  /** The line of a batch that the request runs. If another request has taken the line over, nothing is charged. */
  readonly line?: LineOutcome;
}

/** Settlements that were not charged in full, by request id. */
export interface UnsettledCharges {
  /** The part that is not charged: it was no longer leased, and the account had no other money. */
  readonly short: ReadonlyMap<string, Nano>;
  /** Nothing is booked for these. The value is the invariant that the booking would violate. */
  readonly broken: ReadonlyMap<string, string>;
  /** The part that stays leased: nothing is charged, because another request has taken the line over. */
  readonly stillLeased: ReadonlyMap<string, Nano>;
}

/** The balance of an account while its row is locked. */
export interface LockedAccount {
  readonly accountId: string;
  granted: Nano;
  toppedUp: Nano;
  leased: Nano;
  readonly floor: Nano;
  /** The low-balance threshold of its owners. */
  readonly lowAt?: Nano | undefined;
  /** Its months are closed until this time. Nothing is booked before it. */
  readonly closedUntil?: number;
}

/** Earlier charges of a request. */
export interface BookedCharges extends RefundableCharge {
  readonly by: string;
}

/** The state that decides how settlements are charged. `chargeSettlements` changes it. */
export interface ChargingState {
  readonly accounts: ReadonlyMap<string, LockedAccount>;
  /** The account lease that pays for a settlement. */
  readonly leaseOf: (settlement: Settlement) => { amount: Nano };
  /** The leases of budgets that pay for a settlement. */
  readonly budgetLeasesOf: (settlement: Settlement) => readonly { amount: Nano }[];
  readonly booked: Map<string, BookedCharges>;
}

/**
 * Charges each request at most once, however often it is settled. A charge is paid from the lease of the process, then
 * from the available balance. If both do not cover it, the part above the hold is the operator's loss. The part within
 * the hold is not charged: its money was leased to others meanwhile. No balance goes below its floor. Recovery charges
 * the last checkpoint of an expired process. If that process was alive and its request cost less in the end, the
 * difference is refunded.
 */
export function chargeSettlements(
  settlements: readonly Settlement[],
  { accounts, leaseOf, budgetLeasesOf, booked }: ChargingState,
): Omit<UnsettledCharges, 'stillLeased'> & { readonly bookings: readonly Booking[] } {
  const [bookings, broken] = [new Array<Booking>(), new Map<string, string>()];
  for (const settlement of settlements) {
    const account = accounts.get(settlement.accountId) ?? emptyAccount(settlement.accountId);
    const earlier = booked.get(settlement.requestId);
    const due = stillDue(settlement, earlier);
    const { requestId: reference, cost, held, by } = settlement;
    const at = bookedAt(account, settlement.at);
    try {
      assert(cost >= 0n && held >= 0n, 'a charge is never negative');
      if (earlier && isOvercharge(settlement, earlier)) {
        const { entries, charged: left } = refundExcess(account, earlier, cost);
        booked.set(reference, { ...left, by });
        const reason = `${settlement.reason}; ${refundReason}`;
        bookings.push({ ...settlement, at, reason, reference, kind: 'charge-rest', entries });
      }
      if (due === undefined) continue;
      const { entries, paid, granted } = charge(account, leaseOf(settlement), due);
      for (const budgetLease of budgetLeasesOf(settlement)) takeFromBudget(budgetLease, due);
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

/**
 * An account has no balance row before its first movement. Until then its balance is zero, and a cost above the hold is
 * a loss.
 */
function emptyAccount(accountId: string): LockedAccount {
  return { accountId, granted: 0n, toppedUp: 0n, leased: 0n, floor: 0n };
}

const shortReason = 'not all of it could be charged, for its money was set aside for others meanwhile';

const refundReason = 'it cost less than recovery had charged';

interface AmountDue {
  readonly amount: Nano;
  /** The part above the hold of the request. */
  readonly beyond: Nano;
  /** The amount already charged for the request. */
  readonly before: Nano;
  readonly held: Nano;
  readonly kind: 'charge' | 'charge-rest';
}

/**
 * Returns `undefined` if the request is already charged. If recovery charged a checkpoint and the process was alive,
 * only the rest is due.
 */
function stillDue({ cost, held, by }: Settlement, earlier: BookedCharges | undefined): AmountDue | undefined {
  const before = earlier?.amount ?? 0n;
  if (cost <= before) return undefined;
  if (earlier && (earlier.by !== 'recovery' || by === 'recovery')) return undefined;
  const amount = cost - before;
  const beyond = smaller(amount, larger(cost - held, 0n));
  return { amount, beyond, before, held, kind: earlier ? 'charge-rest' : 'charge' };
}

/** Whether recovery charged more than the request cost. */
function isOvercharge({ cost, by }: Settlement, earlier: BookedCharges): boolean {
  return earlier.by === 'recovery' && by !== 'recovery' && cost < earlier.amount;
}

/** Takes the amount from the lease and the balance. Returns both sides of the booking. */
function charge(account: LockedAccount, lease: { amount: Nano }, { amount, beyond, before, held, kind }: AmountDue) {
  // At most its own share: the rest of the lease belongs to other requests.
  const share = amount - beyond;
  const fromLease = smaller(share, lease.amount);
  const fromAvailable = smaller(amount - fromLease, larger(available(account), 0n));
  const paid = fromLease + fromAvailable;
  // If the hold went back to its account, other requests may have spent it: that part is not a loss. If recovery
  // charged beyond the hold, that loss is booked already.
  const isHoldPaid = before + paid >= held && (kind === 'charge' || before < held);
  const loss = isHoldPaid ? amount - paid : 0n;
  const fromGranted = smaller(account.granted, paid);
  assert(loss <= beyond, 'a loss is at most the cost above the hold');
  assert(fromLease <= lease.amount && fromLease <= account.leased, 'a charge takes at most the leased amount');
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

/** Takes at most the share of this request: the rest belongs to other requests. */
function takeFromBudget(lease: { amount: Nano }, { amount, beyond }: AmountDue): void {
  lease.amount -= smaller(amount - beyond, lease.amount);
}

/** A closed month never changes. A late booking is dated to the first moment after it. */
export function bookedAt({ closedUntil = 0 }: LockedAccount, at: number): number {
  return Math.max(at, closedUntil);
}

/**
 * The floor of a postpaid account: a balance that no account reaches. Sums with it stay far within the integers of both
 * engines.
 */
export const noFloor: Nano = -4_000_000_000_000_000_000n;

/** The amount that can still be leased or spent. */
export function available({ granted, toppedUp, leased, floor }: LockedAccount): Nano {
  return granted + toppedUp - leased - floor;
}

/** Returns the same result for every repeat: a caller whose reply was lost settles again. */
export function shortOf(
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
