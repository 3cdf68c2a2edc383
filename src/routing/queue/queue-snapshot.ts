import type { QueuedAccount } from '../fair-queue/queued-account.ts';
import type { FairQueue } from '../fair-queue/fair-queue.ts';
import { jainIndex } from './jain-index.ts';

export interface QueueSnapshot {
  readonly limit: number;
  readonly running: number;
  readonly waiting: number;
  /** Waiting requests that were refused and are still in their cooldown. */
  readonly resting: number;
  /** How long no waiting request gets a slot, because everything they wait for is in a cooldown. */
  readonly pausedMs: number;
  readonly accounts: readonly { readonly accountId: string; readonly running: number; readonly waiting: number }[];
  /** Jain's index over the service per weight of each waiting account; `undefined` without a comparison. */
  readonly fairness: number | undefined;
}

/** An account that has waited for less has had too few slots to be compared. */
const comparableAfterMs = 10_000;

export function queueSnapshot(
  queue: FairQueue,
  now: { readonly limit: number; readonly pausedMs: number; readonly nowMs: number },
): QueueSnapshot {
  const accounts = [...queue.accounts].filter((account) => !account.isIdle);
  return {
    limit: now.limit,
    running: queue.running,
    waiting: queue.waiting,
    resting: queue.coolingDown,
    pausedMs: now.pausedMs,
    accounts: accounts.map(({ id, running, waiting, coolingDown }) => ({
      accountId: id,
      running,
      waiting: waiting + coolingDown,
    })),
    fairness: fairness(accounts, now.nowMs),
  };
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
