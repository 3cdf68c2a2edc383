import { type Kysely, sql } from 'kysely';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Database } from '../../../platform/store/database.ts';
import { runWithin } from '../../../platform/store/run-tasks.ts';
import { withinSavepoint } from '../../../platform/store/savepoint.ts';
import { bisect } from '../../../platform/store/bisect.ts';
import { isCollision } from '../../../platform/store/transactions.ts';
import type { Settlement } from '../ledger/charging.ts';
import { lockAccounts, moneyText } from '../ledger/locked-accounts.ts';
import { DeadLetterCheckpoint } from './dead-letter-checkpoint.ts';
import { settleCharges } from '../settle.ts';
import { isOwnedBy, type LeaseOwner } from '../wallet/lease-owner.ts';

const chargesPerBatch = 200;

/**
 * Charges requests up to their last checkpoint, inside a transaction. Returns the checkpoints that cannot be charged
 * although the rest can; they stay in the store.
 */
export async function chargeCheckpoints(
  tx: Kysely<Database>,
  owner: LeaseOwner,
): Promise<readonly DeadLetterCheckpoint[]> {
  const refused: DeadLetterCheckpoint[] = [];
  for (let after = ''; ; ) {
    const rows = await checkpointsAfter(tx, owner, after);
    const last = rows.at(-1);
    if (!last) return refused;
    refused.push(...(await charge(tx, owner === 'orphaned' ? await stillOrphaned(tx, rows, after) : rows)));
    after = last.request_id;
  }
}

/** Counts the checkpoints that remained when their process was reaped, and the leases kept for them. */
export async function countOrphans(db: Kysely<Database>): Promise<{ checkpoints: number; leases: number }> {
  const checkpoints = db.selectFrom('open_charges').where(isOwnedBy('orphaned')).select(counted);
  const leases = db.selectFrom('leases').where(isOwnedBy('orphaned')).select(counted);
  const row = await db.selectNoFrom([checkpoints.as('checkpoints'), leases.as('leases')]).executeTakeFirstOrThrow();
  return { checkpoints: Number(row.checkpoints), leases: Number(row.leases) };
}

const counted = sql<number | string>`count(*)`.as('count');

type StoredCheckpoint = Awaited<ReturnType<typeof checkpointsAfter>>[number];

/** Reads the next batch of checkpoints, in order of request id. */
function checkpointsAfter(tx: Kysely<Database>, owner: LeaseOwner, requestId: string) {
  return tx
    .selectFrom('open_charges')
    .where(isOwnedBy(owner))
    .select(['request_id', 'process_id', 'account_id', 'key_id', 'price_version', 'at'])
    .select([moneyText('cost').as('cost'), moneyText('held').as('held')])
    .where('request_id', '>', requestId)
    .orderBy('request_id')
    .limit(chargesPerBatch)
    .execute();
}

/**
 * If a process was alive after all, it reclaims its checkpoints while it holds the balances of the payers. Reading
 * again after locking these balances avoids charging a reclaimed checkpoint.
 */
async function stillOrphaned(
  tx: Kysely<Database>,
  rows: readonly StoredCheckpoint[],
  after: string,
): Promise<readonly StoredCheckpoint[]> {
  await lockAccounts(
    tx,
    rows.map((row) => row.account_id),
  );
  const seen = new Set(rows.map((row) => row.request_id));
  const left = await checkpointsAfter(tx, 'orphaned', after);
  return left.filter((row) => seen.has(row.request_id));
}

async function charge(
  tx: Kysely<Database>,
  rows: readonly StoredCheckpoint[],
): Promise<readonly DeadLetterCheckpoint[]> {
  const refused: DeadLetterCheckpoint[] = [];
  const readable: Settlement[] = [];
  for (const row of rows) {
    try {
      readable.push(settlementOf(row));
    } catch (error) {
      refused.push(
        new DeadLetterCheckpoint({ requestId: row.request_id, accountId: row.account_id, cost: row.cost }, error),
      );
    }
  }
  let collision: unknown;
  const rejected = await bisect(readable, async (some) => {
    try {
      await withinSavepoint(tx, () => settleAll(tx, some));
    } catch (error) {
      if (isCollision(error)) collision = error;
      throw error;
    }
  });
  // Not a refusal: the whole transaction is retried.
  if (collision !== undefined) throw collision;
  for (const { item, error } of rejected)
    refused.push(new DeadLetterCheckpoint({ ...item, cost: String(item.cost) }, error));
  return refused;
}

/** All or none: settling deletes the checkpoint even if an invariant prevents the charge. */
async function settleAll(tx: Kysely<Database>, settlements: readonly Settlement[]): Promise<void> {
  const { broken } = await runWithin(tx, settleCharges, settlements);
  for (const rule of broken.values()) throw new InvariantViolation(rule);
}

function settlementOf(row: StoredCheckpoint): Settlement {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    processId: row.process_id,
    held: BigInt(row.held),
    cost: BigInt(row.cost),
    priceVersion: row.price_version,
    by: 'recovery',
    reason: 'the gateway died; charged up to its last checkpoint',
    // As with other charges, a renewing cap pays in the span in which the request began.
    at: row.at,
  };
}
