import type { Kysely } from 'kysely';
import type { Nano } from '../core/money.ts';
import { bulkStatement } from '../store/bulk-statement.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { OpenHold } from './hold.ts';
import { isRegistered } from './leases.ts';
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
  const upsert = notesUpsert();
  return {
    async save(open) {
      const changed: OpenHold[] = [];
      for (const hold of open) {
        if (hold.costSoFar === hold.notedCost) continue;
        if (changed.push(hold) === holdsPerRound) break;
      }
      for (let start = 0; start < changed.length; start += holdsPerTurn) {
        const some = changed.slice(start, start + holdsPerTurn);
        await parts.queue.inTurn(() => note(parts, some, upsert));
        // To the end of the line.
        for (const hold of some) if (open.delete(hold)) open.add(hold);
      }
    },
  };
}

interface Note {
  readonly request_id: string;
  readonly process_id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly cost: Nano;
  readonly price_version: string;
  readonly held: Nano;
}

async function note(
  { store, processId }: CheckpointParts,
  holds: readonly OpenHold[],
  upsert: ReturnType<typeof notesUpsert>,
): Promise<void> {
  const process_id = processId();
  const running = holds.filter(({ isRunning }) => isRunning);
  if (running.length === 0) return;
  const costs = running.map((hold) => hold.costSoFar);
  const notes = running.map(({ name, amount }, index): Note => {
    const { requestId, accountId, keyId, priceVersion } = name;
    const owner = { request_id: requestId, process_id, account_id: accountId, key_id: keyId };
    return { ...owner, cost: costs[index] ?? 0n, price_version: priceVersion, held: amount };
  });
  // Whether the store has it is not known before it is asked to.
  for (const hold of running) hold.isNoted = true;
  const isSaved = await store.transaction(async (tx) => {
    // Nobody would look for what a process leaves behind that was cleaned up after already.
    if (!(await isRegistered(tx, process_id))) return false;
    await upsert(tx, notes);
    return true;
  });
  if (isSaved) for (const [index, hold] of running.entries()) hold.notedCost = costs[index] ?? 0n;
}

function notesUpsert() {
  return bulkStatement((db: Kysely<Database>, notes: readonly Note[]) =>
    db
      .insertInto('open_charges')
      .values([...notes])
      .onConflict((conflict) =>
        conflict.column('request_id').doUpdateSet((row) => ({
          process_id: row.ref('excluded.process_id'),
          cost: row.ref('excluded.cost'),
          held: row.ref('excluded.held'),
        })),
      ),
  );
}
