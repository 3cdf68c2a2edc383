import { type ExpressionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';
import { retryDelayMaxMs, cooldownMaxMs } from './back-off.ts';
import type { DeliveryRow } from './delivery.ts';
import type { EndpointRow } from './webhook-endpoints.ts';

/** A sender that has said nothing for so long is claimed for dead, and another one takes its place. */
export const claimMs = 60_000;

/** Whose turn it is, the longest neglected first, and something is due for them. Nobody has them yet. */
export async function dueEndpoints(db: Kysely<Database>, limit: number): Promise<readonly string[]> {
  const now = databaseNow(db);
  const rows = await db
    .selectFrom('receivers')
    .select('id')
    .where('status', '=', 'on')
    .where(hasPassed('rest_until', now, cooldownMaxMs))
    .where(hasPassed('claimed_until', now, claimMs))
    .where((row) => row.exists(dueDeliveryOf(row, now)))
    .orderBy('turn_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

function dueDeliveryOf(row: ExpressionBuilder<Database, 'receivers'>, now: RawBuilder<number>) {
  return row
    .selectFrom('deliveries')
    .select('deliveries.id')
    .whereRef('deliveries.receiver_id', '=', 'receivers.id')
    .where('deliveries.state', '=', 'waiting')
    .where(hasPassed('deliveries.next_at', now, jitteredDelayMaxMs));
}

/** With its jitter. */
const jitteredDelayMaxMs = 2 * retryDelayMaxMs;

/** A time has come; one that is further away than any we set was set by a clock that has been put back since. */
function hasPassed(column: string, now: RawBuilder<number>, furthestMs: number) {
  return sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now} + ${sql.lit(2 * furthestMs)})`;
}

/** Takes a receiver for a while, unless another sender has it: one statement decides. Says whether it did. */
export async function claimEndpoint(db: Kysely<Database>, id: string, claim: string): Promise<boolean> {
  const now = databaseNow(db);
  const claimed = await db
    .updateTable('receivers')
    .set({ claim, claimed_until: sql<number>`${now} + ${sql.lit(claimMs)}`, turn_at: now })
    .where('id', '=', id)
    .where('status', '=', 'on')
    .where(hasPassed('claimed_until', now, claimMs))
    .executeTakeFirst();
  return claimed.numUpdatedRows > 0n;
}

/** Says that the sender is still there, and returns the receiver as it is by now; nothing when another has claimed over. */
export async function renewClaim(db: Kysely<Database>, id: string, claim: string): Promise<EndpointRow | undefined> {
  return db
    .updateTable('receivers')
    .set({ claimed_until: sql<number>`${databaseNow(db)} + ${sql.lit(claimMs)}` })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('status', '=', 'on')
    .returningAll()
    .executeTakeFirst();
}

export async function releaseClaim(db: Kysely<Database>, id: string, claim: string): Promise<void> {
  await db
    .updateTable('receivers')
    .set({ claim: null, claimed_until: 0 })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .execute();
}

/** What is due for a receiver, the oldest first. */
export async function dueDeliveries(
  db: Kysely<Database>,
  endpointId: string,
  limit: number,
): Promise<readonly DeliveryRow[]> {
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('receiver_id', '=', endpointId)
    .where('state', '=', 'waiting')
    .where(hasPassed('next_at', databaseNow(db), jitteredDelayMaxMs))
    .orderBy('next_at')
    .limit(limit)
    .execute();
}
