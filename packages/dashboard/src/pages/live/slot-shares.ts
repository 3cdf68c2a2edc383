import type { LiveQueue, QueueAccount } from '../../api/wire.ts';

/** The slots of an upstream, divided by the accounts that hold them. */
export interface SlotShares {
  /** The accounts that are drawn and listed, busiest first. */
  readonly named: readonly QueueAccount[];
  /** The remaining accounts, added up. Undefined if there are none. */
  readonly others: OtherAccounts | undefined;
  readonly free: number;
}

export interface OtherAccounts {
  readonly count: number;
  readonly running: number;
  readonly waiting: number;
}

/** Divides the slots of an upstream. At most `most` accounts are named. */
export function slotShares({ accounts, running, waiting, limit, idle }: LiveQueue, most: number): SlotShares {
  // One remaining account takes as much space as the words "1 other".
  const named = accounts.length <= most + 1 ? accounts : accounts.slice(0, most);
  const others = {
    count: accounts.length - named.length,
    running: Math.max(0, running - sumOf(named, 'running')),
    waiting: Math.max(0, waiting - sumOf(named, 'waiting')),
  };
  const hasOthers = others.count > 0 || others.running > 0 || others.waiting > 0;
  return { named, others: hasOthers ? others : undefined, free: Math.max(0, limit - running - (idle?.running ?? 0)) };
}

/** The account with the most slots of an upstream. */
export interface LargestHolder {
  readonly account: QueueAccount;
  /** Its part of the slots in use, from 0 to 1. */
  readonly share: number;
  /** It has clearly more than its fair share, and requests of other accounts wait. */
  readonly isHog: boolean;
}

/** An account above this multiple of its fair share holds too much. Smaller differences are normal: slots are whole. */
const hogFactor = 1.25;

/** The account with the most slots. Undefined if no slot is in use. */
export function largestHolder({ accounts, running, waiting }: LiveQueue): LargestHolder | undefined {
  const account = accounts.reduce<QueueAccount | undefined>(
    (most, each) => (each.running > (most?.running ?? 0) ? each : most),
    undefined,
  );
  if (!account) return undefined;
  const share = account.running / Math.max(running, account.running);
  const isHog = waiting > account.waiting && account.running > 1 && share > account.fair_share * hogFactor;
  return { account, share, isHog };
}

/** The waiting accounts, the one with the next slot first. Accounts without a turn wait for more than a slot. */
export function waitingLine(accounts: readonly QueueAccount[]): readonly QueueAccount[] {
  return accounts
    .filter(({ waiting }) => waiting > 0)
    .toSorted((one, other) => turnOf(one) - turnOf(other) || other.waiting - one.waiting);
}

function sumOf(accounts: readonly QueueAccount[], name: 'running' | 'waiting'): number {
  return accounts.reduce((sum, account) => sum + account[name], 0);
}

function turnOf({ turn }: QueueAccount): number {
  return turn ?? Number.MAX_SAFE_INTEGER;
}
