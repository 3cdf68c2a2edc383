import type { Kysely } from 'kysely';
import { BrokenRule } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import { runWithin } from '../store/run-tasks.ts';
import { withinSavepoint } from '../store/savepoint.ts';
import { sift } from '../store/sift.ts';
import { isCollision } from '../store/transactions.ts';
import type { Settlement } from './charging.ts';
import { moneyText } from './locked-accounts.ts';
import { RefusedCheckpoint } from './refused-checkpoint.ts';
import { settling } from './settle.ts';

/** Whose checkpoints: those of a process that is dead, or those that were left when their process was cleaned up after. */
export type Whose = { readonly processId: string } | 'nobody';

const chargesPerTurn = 200;

/**
 * Charges requests up to their last checkpoint, as a part of a transaction. Returns what cannot be charged although
 * the rest can: those checkpoints are still there.
 */
export async function chargeCheckpoints(
  tx: Kysely<Database>,
  whose: Whose,
  clock: Clock,
): Promise<readonly RefusedCheckpoint[]> {
  const refused: RefusedCheckpoint[] = [];
  let rows = await checkpointsBehind(tx, whose, '');
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    refused.push(...(await charge(tx, rows, clock)));
    rows = await checkpointsBehind(tx, whose, last.request_id);
  }
  return refused;
}

/** How many checkpoints were left when their processes were cleaned up after. */
export async function leftCheckpoints(db: Kysely<Database>): Promise<number> {
  const query = db.selectFrom('open_charges').select((row) => row.fn.countAll<number | string>().as('count'));
  const { count } = await query.where('process_id', 'not in', registered(db)).executeTakeFirstOrThrow();
  return Number(count);
}

type Checkpoint = Awaited<ReturnType<typeof checkpointsBehind>>[number];

/** What running requests had delivered when their process last said so. */
function checkpointsBehind(tx: Kysely<Database>, whose: Whose, requestId: string) {
  const query = tx
    .selectFrom('open_charges')
    .select(['request_id', 'process_id', 'account_id', 'key_id', 'price_version', 'at'])
    .select([moneyText('cost').as('cost'), moneyText('held').as('held')])
    .where('request_id', '>', requestId)
    .orderBy('request_id')
    .limit(chargesPerTurn);
  const theirs =
    whose === 'nobody'
      ? query.where('process_id', 'not in', registered(tx))
      : query.where('process_id', '=', whose.processId);
  return theirs.execute();
}

function registered(db: Kysely<Database>) {
  return db.selectFrom('processes').select('id');
}

async function charge(
  tx: Kysely<Database>,
  rows: readonly Checkpoint[],
  clock: Clock,
): Promise<readonly RefusedCheckpoint[]> {
  const refused: RefusedCheckpoint[] = [];
  const readable: Settlement[] = [];
  for (const row of rows) {
    try {
      readable.push(settlementOf(row, clock));
    } catch (error) {
      refused.push(
        new RefusedCheckpoint({ requestId: row.request_id, accountId: row.account_id, cost: row.cost }, error),
      );
    }
  }
  let collision: unknown;
  const found = await sift(readable, async (some) => {
    try {
      await withinSavepoint(tx, () => settleAll(tx, some));
    } catch (error) {
      if (isCollision(error)) collision = error;
      throw error;
    }
  });
  // Nobody has refused anything then: the whole transaction is done again.
  if (collision !== undefined) throw collision;
  for (const { item, error } of found) refused.push(new RefusedCheckpoint({ ...item, cost: String(item.cost) }, error));
  return refused;
}

/** All or none: a charge that is left out for a rule of our own would take its checkpoint with it. */
async function settleAll(tx: Kysely<Database>, settlements: readonly Settlement[]): Promise<void> {
  const { broken } = await runWithin(tx, settling, settlements);
  for (const rule of broken.values()) throw new BrokenRule(rule);
}

function settlementOf(row: Checkpoint, clock: Clock): Settlement {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    processId: row.process_id,
    held: BigInt(row.held ?? row.cost),
    cost: BigInt(row.cost),
    priceVersion: row.price_version,
    by: 'recovery',
    reason: 'the gateway died; charged up to its last checkpoint',
    // As any other charge: a cap that renews pays in the span in which the request began.
    at: row.at ?? clock.now(),
  };
}
