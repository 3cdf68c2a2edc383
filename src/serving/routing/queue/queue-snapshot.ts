import type { QueuedAccount, Ticket } from '../fair-queue/queued-account.ts';
import { type FairQueue, isBefore } from '../fair-queue/fair-queue.ts';
import { jainIndex } from './jain-index.ts';

export interface QueueSnapshot {
  readonly limit: number;
  readonly running: number;
  readonly waiting: number;
  /** Waiting requests that were refused and are still in their cooldown. */
  readonly resting: number;
  /** How long no waiting request gets a slot, because everything they wait for is in a cooldown. */
  readonly pausedMs: number;
  readonly accounts: readonly AccountLoad[];
  /** The requests of the idle class, which are in none of the other counts. Undefined if there are none. */
  readonly idle?: IdleLoad | undefined;
  /** Jain's index over the service per weight of each waiting account; `undefined` without a comparison. */
  readonly fairness: number | undefined;
}

/** The requests of the idle class at one upstream. */
export interface IdleLoad {
  readonly running: number;
  readonly waiting: number;
  readonly accounts: readonly AccountLoad[];
}

/** The requests of one account at one upstream. */
export interface AccountLoad {
  readonly accountId: string;
  readonly running: number;
  readonly waiting: number;
  /** Its weight in the fair queue. */
  readonly weight: number;
  /** How long the oldest of its waiting requests has waited. Undefined if none waits in this process. */
  readonly oldestWaitMs?: number | undefined;
  /** Its place in the line: 1 gets the next slot. Undefined if no request of it waits only for a slot. */
  readonly turn?: number | undefined;
}

/** An account that has waited for less has had too few slots to be compared. */
const comparableAfterMs = 10_000;

export function queueSnapshot(
  queue: FairQueue,
  now: {
    readonly limit: number;
    readonly pausedMs: number;
    readonly nowMs: number;
    readonly waits: Waits;
    readonly idle: { readonly queue: FairQueue } | undefined;
  },
): QueueSnapshot {
  const accounts = [...queue.accounts].filter((account) => !account.isIdle);
  return {
    limit: now.limit,
    running: queue.running,
    waiting: queue.waiting,
    resting: queue.coolingDown,
    pausedMs: now.pausedMs,
    accounts: accountLoads(accounts, oldestWaits(now.waits, false), now.nowMs),
    idle: now.idle && idleLoad(now.idle.queue, oldestWaits(now.waits, true), now.nowMs),
    fairness: fairness(accounts, now.nowMs),
  };
}

/** In the order of their start. */
type Waits = ReadonlyMap<Ticket, { readonly sinceMs: number }>;

function idleLoad(queue: FairQueue, oldestMs: ReadonlyMap<string, number>, nowMs: number): IdleLoad | undefined {
  const { running, waiting } = queue;
  if (running + waiting === 0) return undefined;
  const accounts = [...queue.accounts].filter((account) => !account.isIdle);
  return { running, waiting, accounts: accountLoads(accounts, oldestMs, nowMs) };
}

function accountLoads(
  accounts: readonly QueuedAccount[],
  oldestMs: ReadonlyMap<string, number>,
  nowMs: number,
): readonly AccountLoad[] {
  const turns = turnsOf(accounts);
  return accounts.map(({ id, running, waiting, coolingDown, weight }) => {
    const sinceMs = oldestMs.get(id);
    return {
      accountId: id,
      running,
      waiting: waiting + coolingDown,
      weight,
      oldestWaitMs: sinceMs === undefined ? undefined : Math.max(0, Math.round(nowMs - sinceMs)),
      turn: turns.get(id),
    };
  });
}

/** Since when the oldest waiting request of each account has waited, in one of the classes. */
function oldestWaits(waits: Waits, isOfIdleClass: boolean): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>();
  for (const [{ demand, isIdleClass }, { sinceMs }] of waits) {
    if (isIdleClass !== isOfIdleClass) continue;
    if (!oldest.has(demand.accountId)) oldest.set(demand.accountId, sinceMs);
  }
  return oldest;
}

/** The order in which the accounts get their next slot. */
function turnsOf(accounts: readonly QueuedAccount[]): ReadonlyMap<string, number> {
  const next = accounts.flatMap((account) => account.next(({ subQueue }) => subQueue.isOpen()) ?? []);
  const inOrder = next.toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
  return new Map(inOrder.map(({ account }, index) => [account.id, index + 1]));
}

function fairness(accounts: readonly QueuedAccount[], nowMs: number): number | undefined {
  const comparable = accounts.filter(
    (account) =>
      nowMs - account.waitingSinceMs >= comparableAfterMs && account.next(({ subQueue }) => subQueue.isOpen()),
  );
  if (comparable.length < 2) return undefined;
  return jainIndex(
    comparable.map((account) => Math.max(0, account.served - account.servedBefore) / (nowMs - account.waitingSinceMs)),
  );
}
