import type { Store } from '../store/store.ts';
import type { OpenHold } from './hold.ts';
import { type Note, noting } from './note-checkpoints.ts';
import type { SettlementQueue } from './settlement-queue.ts';

export interface CheckpointParts {
  readonly store: Store;
  readonly queue: Pick<SettlementQueue, 'inTurn'>;
  readonly processId: () => string;
}

/** Few enough that nothing else waits for them. */
const holdsPerTurn = 64;
/** What is beyond that has its turn in the next rounds: those that were noted longest ago come first. */
const holdsPerRound = 2048;

export interface Checkpoints {
  /** Notes what has changed since the last time. */
  save(open: Set<OpenHold>): Promise<void>;
}

/**
 * Notes what running requests have cost so far, so that a crash loses no more than the time between two notes. In turn
 * with the charges: a request that is charged or cancelled cannot be noted afterwards.
 */
export function checkpoints(parts: CheckpointParts): Checkpoints {
  return {
    async save(open) {
      const changed: OpenHold[] = [];
      for (const hold of open) {
        if (hold.costSoFar === hold.notedCost) continue;
        if (changed.push(hold) === holdsPerRound) break;
      }
      for (let start = 0; start < changed.length; start += holdsPerTurn) {
        const some = changed.slice(start, start + holdsPerTurn);
        await parts.queue.inTurn(() => note(parts, some));
        // To the end of the line.
        for (const hold of some) if (open.delete(hold)) open.add(hold);
      }
    },
  };
}

async function note({ store, processId }: CheckpointParts, holds: readonly OpenHold[]): Promise<void> {
  const owner = processId();
  const running = holds.filter(({ isRunning }) => isRunning);
  if (running.length === 0) return;
  const notes = running.map(({ name, amount, costSoFar, at }): Note => {
    const { requestId, accountId, keyId, priceVersion } = name;
    return { requestId, accountId, keyId, priceVersion, cost: costSoFar, held: amount, at };
  });
  // Whether the store has it is not known before it is asked to.
  for (const hold of running) hold.isNoted = true;
  const isSaved = await store.commit(noting, { processId: owner, notes });
  if (isSaved) for (const [index, hold] of running.entries()) hold.notedCost = notes[index]?.cost ?? 0n;
}
