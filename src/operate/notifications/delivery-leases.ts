import { type ExpressionBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import { databaseNow } from '../../platform/store/engine.ts';
import { retryDelayMaxMs, cooldownMaxMs } from './back-off.ts';
import type { DeliveryRow, EndpointRow } from './delivery.ts';

/** A claim expires after this time, unless its sender renews it. Then another sender can claim the endpoint. */
export const claimMs = 60_000;

/** Endpoints with a due delivery, without a claim or a cooldown. The one that was served longest ago comes first. */
export async function dueEndpoints(db: Kysely<Database>, limit: number): Promise<readonly string[]> {
  const now = databaseNow(db);
  const rows = await db
    .selectFrom('delivery_endpoints')
    .select('id')
    .where('status', '=', 'on')
    .where(hasPassed('cooldown_until', now, cooldownMaxMs))
    .where(hasPassed('claimed_until', now, claimMs))
    .where((row) => row.exists(dueDeliveryOf(row, now)))
    .orderBy('served_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

function dueDeliveryOf(row: ExpressionBuilder<Database, 'delivery_endpoints'>, now: RawBuilder<number>) {
  return row
    .selectFrom('deliveries')
    .select('deliveries.id')
    .whereRef('deliveries.endpoint_id', '=', 'delivery_endpoints.id')
    .where('deliveries.state', '=', 'waiting')
    .where(hasPassed('deliveries.next_at', now, jitteredDelayMaxMs));
}

/** An upper bound of a retry delay with jitter. */
const jitteredDelayMaxMs = 2 * retryDelayMaxMs;

/** True also for a time too far ahead: it was written before the clock was set back. */
function hasPassed(column: string, now: RawBuilder<number>, furthestMs: number) {
  return sql<boolean>`(${sql.ref(column)} <= ${now} or ${sql.ref(column)} > ${now} + ${sql.lit(2 * furthestMs)})`;
}

/** Claims an endpoint for `claimMs` in one statement. Returns false if another sender has a claim. */
export async function claimEndpoint(db: Kysely<Database>, id: string, claim: string): Promise<boolean> {
  const now = databaseNow(db);
  const claimed = await db
    .updateTable('delivery_endpoints')
    .set({ claim, claimed_until: sql<number>`${now} + ${sql.lit(claimMs)}`, served_at: now })
    .where('id', '=', id)
    .where('status', '=', 'on')
    .where(hasPassed('claimed_until', now, claimMs))
    .executeTakeFirst();
  return claimed.numUpdatedRows > 0n;
}

/** Extends the claim and returns the current endpoint row, or undefined if the claim is lost or the endpoint is off. */
export async function renewClaim(db: Kysely<Database>, id: string, claim: string): Promise<EndpointRow | undefined> {
  return db
    .updateTable('delivery_endpoints')
    .set({ claimed_until: sql<number>`${databaseNow(db)} + ${sql.lit(claimMs)}` })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('status', '=', 'on')
    .returningAll()
    .executeTakeFirst();
}

export async function releaseClaim(db: Kysely<Database>, id: string, claim: string): Promise<void> {
  await db
    .updateTable('delivery_endpoints')
    .set({ claim: null, claimed_until: 0 })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .execute();
}

/** Due deliveries of an endpoint, earliest `next_at` first. */
export async function dueDeliveries(
  db: Kysely<Database>,
  endpointId: string,
  limit: number,
): Promise<readonly DeliveryRow[]> {
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'waiting')
    .where(hasPassed('next_at', databaseNow(db), jitteredDelayMaxMs))
    .orderBy('next_at')
    .limit(limit)
    .execute();
}
