import { assert } from '../core/assert.ts';
import type { Nano } from '../core/money.ts';
import { type JobEnding, type Job, jsonText, type Steps } from '../store/job.ts';
import { selection } from '../store/row-statements.ts';
import { available, type LockedAccount } from './charging.ts';
import {
  accountsIn,
  balanceAsks,
  type FundsLease,
  leaseAsks,
  leasesIn,
  lockedBalances,
  ownProcess,
} from './ledger-statements.ts';

/** Names what one process has set aside of one account. */
export interface LeaseName {
  readonly processId: string;
  readonly accountId: string;
}

/** What a process has set aside of an account's money, as it knows it, and what it wants of more. */
export interface LeaseWish {
  /** All that it knows to be set aside. What the store has beyond that was set aside without its hearing of it. */
  readonly leased: Nano;
  /** How much of it no request needs. */
  readonly free: Nano;
  /** What requests wait for, in the order they came. */
  readonly amounts: readonly Nano[];
  /** What to do with money that nobody waits for: keep it, and some more where there is plenty, or give it back. */
  readonly spare: 'keep' | 'give-back';
}

/** What came of it; nothing when the process was taken for dead. */
export interface LeaseOutcome {
  /** All that is set aside now. */
  readonly leased: Nano;
  /** How much of it no request had before. */
  readonly free: Nano;
  /** By the amounts that were asked for: whether it is among what is free now. */
  readonly isPaid: readonly boolean[];
  /** What the account has left that nobody has set aside. */
  readonly available: Nano;
  /** What other processes have set aside; only asked for where somebody could not be paid. */
  readonly elsewhere: Nano;
}

/** A lease is larger than what is needed now by so many times the largest request at hand, so that the next ones need no store. */
const headroomRequests = 8n;

/** Gets money for those who wait, or gives back what nobody needs, in one transaction. */
export const adjustingLease: Job<{ readonly name: LeaseName; readonly wish: LeaseWish }, LeaseOutcome | undefined> = {
  module: import.meta.url,
  name: 'adjustingLease',
  *steps({ name, wish }): Steps<LeaseOutcome | undefined> {
    const parameter = jsonText({ accounts: [name.accountId], processes: [name.processId] });
    const reads = [ownProcess, lockedBalances, allLeases].map((statement) => ({ statement, parameter }));
    const [registered = [], balances = [], leases = []] = yield reads;
    if (registered.length === 0) return { last: [], result: undefined };
    const account = accountsIn(balances).get(name.accountId);
    if (!account) return { last: [], result: nothingFor(wish) };
    return adjusted(account, sumsOf(leasesIn(leases), name), { name, wish });
  },
};

const allLeases = selection(
  'leases of an account',
  'select process_id, account_id, cast(amount as text) as amount from leases where account_id in @accounts',
);

function nothingFor(wish: LeaseWish): LeaseOutcome {
  return { ...wish, isPaid: wish.amounts.map(() => false), available: 0n, elsewhere: 0n };
}

function sumsOf(leases: readonly FundsLease[], { processId }: LeaseName): SetAside {
  const sum = { own: 0n, elsewhere: 0n };
  for (const lease of leases) sum[lease.processId === processId ? 'own' : 'elsewhere'] += lease.amount;
  return sum;
}

function adjusted(
  account: LockedAccount,
  stored: SetAside,
  { name, wish }: { readonly name: LeaseName; readonly wish: LeaseWish },
): JobEnding<LeaseOutcome> {
  const { change, outcome } = leaseChange(wish, stored, available(account));
  assert(account.leased + change >= 0n, 'no lease is below nothing');
  account.leased += change;
  const last =
    change === 0n ? [] : [...balanceAsks([account]), ...leaseAsks([{ ...name, amount: stored.own + change }])];
  return { last, result: outcome };
}

/** What the store says is set aside of one sum: by the process that asks, and by all others. */
export interface SetAside {
  readonly own: Nano;
  readonly elsewhere: Nano;
}

/**
 * Sets aside what serves as many as possible of those who wait, in their order; a smaller one passes a larger one that
 * cannot be paid. Whoever asks holds a lock on the sum, and the guard and the change are one transaction, so no two
 * processes can set the same money aside. Where somebody cannot be paid and others have money set aside, what serves nobody
 * here goes back: two processes that each keep a part would otherwise both refuse.
 */
export function leaseChange(
  wish: LeaseWish,
  stored: SetAside,
  left: Nano,
): { readonly change: Nano; readonly outcome: LeaseOutcome } {
  // What was asked for and not confirmed is ours too. A charge that has just landed hides it; it is found the next time.
  const unheardOf = stored.own > wish.leased ? stored.own - wish.leased : 0n;
  const pool = wish.free + unheardOf;
  const inReach = left > 0n ? left : 0n;
  const { isPaid, needed } = payable(wish.amounts, pool + inReach);
  const elsewhere = isPaid.includes(false) ? stored.elsewhere : 0n;
  const free = wish.spare === 'give-back' || elsewhere > 0n ? needed : kept(wish.amounts, needed, pool, inReach);
  const change = free - pool;
  assert(stored.own + change >= 0n, 'no lease is below nothing');
  assert(change <= inReach, 'nothing is set aside that is not available');
  const leased = wish.leased + unheardOf + change;
  return { change, outcome: { leased, free, isPaid, available: inReach - change, elsewhere } };
}

/** Who can be paid from a sum, each in turn as far as it goes. */
function payable(amounts: readonly Nano[], sum: Nano): { readonly isPaid: readonly boolean[]; readonly needed: Nano } {
  let needed = 0n;
  const isPaid = amounts.map((amount) => {
    if (needed + amount > sum) return false;
    needed += amount;
    return true;
  });
  return { isPaid, needed };
}

/** Some more than is needed if there is plenty, exactly that if there is not. */
function kept(amounts: readonly Nano[], needed: Nano, pool: Nano, inAccount: Nano): Nano {
  if (pool >= needed) return pool;
  const largest = amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
  const wanted = needed + headroomRequests * largest;
  return wanted - pool <= inAccount ? wanted : needed;
}
