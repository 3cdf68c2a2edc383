import type { Store } from '../../../platform/store/store.ts';
import type { OpenHold } from '../wallet/hold.ts';
import { type Checkpoint, saveCheckpoints } from './save-checkpoints.ts';
import type { SettlementQueue } from '../settlement-queue.ts';

export interface CheckpointParts {
  readonly store: Store;
  readonly queue: Pick<SettlementQueue, 'runExclusive'>;
  readonly processId: () => string;
}

/** Small enough that charges do not wait long for one batch. */
const holdsPerBatch = 64;
/** The others follow in the next runs. The holds with the oldest checkpoint come first. */
const holdsPerRun = 2048;

export interface Checkpoints {
  /** Writes the costs that changed since the last run. */
  save(open: Set<OpenHold>): Promise<void>;
}

/**
 * Writes the cost so far of running requests, so that a crash loses at most the cost since the last run. The writes run
 * between the charges of the settlement queue: a charged or voided request cannot get a checkpoint afterwards.
 */
export function checkpoints(parts: CheckpointParts): Checkpoints {
  return {
    async save(open) {
      const changed: OpenHold[] = [];
      for (const hold of open) {
        if (hold.costSoFar === hold.checkpointCost) continue;
        if (changed.push(hold) === holdsPerRun) break;
      }
      for (let start = 0; start < changed.length; start += holdsPerBatch) {
        const batch = changed.slice(start, start + holdsPerBatch);
        await parts.queue.runExclusive(() => writeBatch(parts, batch));
        // Move to the end of the set.
        for (const hold of batch) if (open.delete(hold)) open.add(hold);
      }
    },
  };
}

async function writeBatch({ store, processId }: CheckpointParts, holds: readonly OpenHold[]): Promise<void> {
  const owner = processId();
  const running = holds.filter(({ isRunning }) => isRunning);
  if (running.length === 0) return;
  const saved = running.map(({ name, amount, costSoFar, at }): Checkpoint => {
    const { requestId, accountId, keyId, priceVersion } = name;
    return { requestId, accountId, keyId, priceVersion, cost: costSoFar, held: amount, at };
  });
  // Set before the write: if the reply is lost, the store may have the checkpoint.
  for (const hold of running) hold.hasCheckpoint = true;
  const isSaved = await store.commit(saveCheckpoints, { processId: owner, checkpoints: saved });
  if (isSaved) for (const [index, hold] of running.entries()) hold.checkpointCost = saved[index]?.cost ?? 0n;
}

/** The last checkpoint of a request that is not settled. */
interface OpenCharge {
  readonly accountId: string;
  readonly keyId: string;
  readonly priceVersion: string;
}

/** The checkpoint of a request that is running, or whose process expired and is not reaped yet. */
export async function openChargeOf(store: Store, requestId: string): Promise<OpenCharge | undefined> {
  const row = await store.db
    .selectFrom('open_charges')
    .select(['account_id', 'key_id', 'price_version'])
    .where('request_id', '=', requestId)
    .executeTakeFirst();
  return row && { accountId: row.account_id, keyId: row.key_id, priceVersion: row.price_version };
}
