import { assert } from 'chat-formats/assert.ts';
import type { Nano } from '../../../core/money.ts';
import { type JobEnding, type Job, jsonText, type Steps } from '../../../platform/store/job.ts';
import { selection } from '../../../platform/store/row-statements.ts';
import { available, type LockedAccount } from '../ledger/charging.ts';
import {
  accountsIn,
  balanceStatements,
  type FundsLease,
  leaseStatements,
  leasesIn,
  lockedBalances,
  ownProcess,
} from '../ledger/ledger-statements.ts';

/** Identifies the lease of one process on one account. */
export interface LeaseName {
  readonly processId: string;
  readonly accountId: string;
}

/** The lease of a process as it has it in memory, and the amounts that it needs. */
export interface LeaseRequest {
  /** The leased amount in memory. If the store has more, a reply was lost. */
  readonly leased: Nano;
  /** The part that no request holds. */
  readonly free: Nano;
  /** The amounts of waiting requests, in order of arrival. */
  readonly amounts: readonly Nano[];
  /** Whether to keep money that no request waits for, and add headroom if the balance allows, or to return it. */
  readonly spare: 'keep' | 'give-back';
}

/** The result of an exchange. There is none if the process has expired. */
export interface LeaseOutcome {
  /** The leased amount now. */
  readonly leased: Nano;
  /** The part that no request held before. */
  readonly free: Nano;
  /** For each requested amount: whether `free` covers it. */
  readonly isPaid: readonly boolean[];
  /** The balance of the account that no process has leased. */
  readonly available: Nano;
  /** The amount that other processes have leased. 0 if all amounts could be paid. */
  readonly elsewhere: Nano;
}

/** Headroom of a lease, in multiples of the largest waiting request, so that the next requests need no exchange. */
const headroomRequests = 8n;

/** Leases money for waiting requests, or returns unused money, in one transaction. */
export const adjustLease: Job<{ readonly name: LeaseName; readonly wish: LeaseRequest }, LeaseOutcome | undefined> = {
  module: import.meta.url,
  name: 'adjustLease',
  *steps({ name, wish }): Steps<LeaseOutcome | undefined> {
    const parameter = jsonText({ accounts: [name.accountId], processes: [name.processId] });
    const reads = [ownProcess, lockedBalances, allLeases].map((statement) => ({ statement, parameter }));
    const [registered = [], balances = [], leases = []] = yield reads;
    if (registered.length === 0) return { last: [], result: undefined };
    const account = accountsIn(balances).get(name.accountId);
    if (!account) return { last: [], result: noLease(wish) };
    return applyChange(account, sumsOf(leasesIn(leases), name), { name, wish });
  },
};

const allLeases = selection(
  'leases of an account',
  'select process_id, account_id, cast(amount as text) as amount from leases where account_id in @accounts',
);

function noLease(wish: LeaseRequest): LeaseOutcome {
  return { ...wish, isPaid: wish.amounts.map(() => false), available: 0n, elsewhere: 0n };
}

function sumsOf(leases: readonly FundsLease[], { processId }: LeaseName): StoredLeases {
  const sum = { own: 0n, elsewhere: 0n };
  for (const lease of leases) sum[lease.processId === processId ? 'own' : 'elsewhere'] += lease.amount;
  return sum;
}

function applyChange(
  account: LockedAccount,
  stored: StoredLeases,
  { name, wish }: { readonly name: LeaseName; readonly wish: LeaseRequest },
): JobEnding<LeaseOutcome> {
  const { change, outcome } = leaseChange(wish, stored, available(account));
  assert(account.leased + change >= 0n, 'a lease is never negative');
  account.leased += change;
  const last =
    change === 0n
      ? []
      : [...balanceStatements([account]), ...leaseStatements([{ ...name, amount: stored.own + change }])];
  return { last, result: outcome };
}

/** The stored leases on one account or budget: of this process, and of all others. */
export interface StoredLeases {
  readonly own: Nano;
  readonly elsewhere: Nano;
}

/**
 * Leases enough for as many waiting requests as possible, in order. A smaller request passes a larger one that cannot
 * be paid. The caller has locked the account, and check and change are one transaction, so two processes cannot lease
 * the same money. If a request cannot be paid and other processes have leases, the unused money is returned. Otherwise
 * two processes that each keep a part could both refuse.
 */
export function leaseChange(
  wish: LeaseRequest,
  stored: StoredLeases,
  left: Nano,
): { readonly change: Nano; readonly outcome: LeaseOutcome } {
  // A lease whose reply was lost belongs to this process too. A charge that has just been booked may hide it; the next
  // exchange finds it.
  const unconfirmed = stored.own > wish.leased ? stored.own - wish.leased : 0n;
  const pool = wish.free + unconfirmed;
  const inReach = left > 0n ? left : 0n;
  const { isPaid, needed } = payable(wish.amounts, pool + inReach);
  const elsewhere = isPaid.includes(false) ? stored.elsewhere : 0n;
  const free =
    wish.spare === 'give-back' || elsewhere > 0n ? needed : withHeadroom(wish.amounts, needed, pool, inReach);
  const change = free - pool;
  assert(stored.own + change >= 0n, 'a lease is never negative');
  assert(change <= inReach, 'a lease takes at most the available balance');
  const leased = wish.leased + unconfirmed + change;
  return { change, outcome: { leased, free, isPaid, available: inReach - change, elsewhere } };
}

/** Decides in order which amounts a sum covers. */
function payable(amounts: readonly Nano[], sum: Nano): { readonly isPaid: readonly boolean[]; readonly needed: Nano } {
  let needed = 0n;
  const isPaid = amounts.map((amount) => {
    if (needed + amount > sum) return false;
    needed += amount;
    return true;
  });
  return { isPaid, needed };
}

/** Adds headroom if the balance covers all of it. Otherwise returns exactly what is needed. */
function withHeadroom(amounts: readonly Nano[], needed: Nano, pool: Nano, inAccount: Nano): Nano {
  if (pool >= needed) return pool;
  const largest = amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);
  const wanted = needed + headroomRequests * largest;
  return wanted - pool <= inAccount ? wanted : needed;
}
