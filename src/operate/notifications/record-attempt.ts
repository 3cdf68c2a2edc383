import { type Kysely, sql } from 'kysely';
import { recordEvent } from '../../platform/outbox/record-event.ts';
import type { Database } from '../../platform/store/database.ts';
import { readDatabaseTime } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import { isGivenUp, isSwitchedOff, retryDelayMs, cooldownMs } from './back-off.ts';
import {
  type SentAttempt,
  attemptsIn,
  type DeliveryRow,
  type EndpointRow,
  noFailures,
  type Result,
} from './delivery.ts';

/** A delivery keeps its last attempts, up to this number. */
const attemptsKeptMax = 20;

export interface AttemptResult {
  readonly endpoint: EndpointRow;
  readonly delivery: DeliveryRow;
  readonly result: Result;
  /** Start of the attempt, by the clock of the process. */
  readonly at: number;
  readonly ms: number;
  readonly random: number;
}

/**
 * Stores the outcome of one attempt. If a process crashes before this call, the delivery is sent again under the same
 * id. If the claim of the sender expired and another sender has stored an attempt, this call changes nothing.
 */
export async function recordAttempt(store: Store, outcome: AttemptResult): Promise<void> {
  await store.transaction(async (tx) => {
    const now = await readDatabaseTime(tx);
    if (!(await recordDelivery(tx, outcome, now))) return;
    const { endpoint, result } = outcome;
    if (result.fault === undefined) {
      await tx.updateTable('delivery_endpoints').set(noFailures).where('id', '=', endpoint.id).execute();
    } else if (!result.isFinal) await recordFailure(tx, outcome, now);
  });
}

/** Returns false if the delivery has changed since the sender read it. */
async function recordDelivery(tx: Kysely<Database>, outcome: AttemptResult, now: number): Promise<boolean> {
  const { delivery, result, at, ms, random } = outcome;
  const attempts = delivery.attempts + 1;
  const attempt: SentAttempt = { at, ms, status: result.status ?? null, fault: result.fault ?? null };
  const attemptLog = JSON.stringify([...attemptsIn(delivery), attempt].slice(-attemptsKeptMax));
  const isLast = result.isFinal || isGivenUp(attempts, now - delivery.first_at);
  const retry = { state: 'waiting' as const, next_at: now + retryDelayMs(attempts, random) };
  const next =
    result.fault === undefined ? { state: 'delivered' as const } : isLast ? { state: 'given-up' as const } : retry;
  const updated = await tx
    .updateTable('deliveries')
    // Delete the content of an e-mail once it is delivered or given up.
    .set({ attempts, attempt_log: attemptLog, ...next, ...(next.state !== 'waiting' && { payload: null }) })
    .where('id', '=', delivery.id)
    .where('state', '=', 'waiting')
    .where('attempts', '=', delivery.attempts)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

/** Starts the cooldown of the endpoint. If it failed for days, switches it off and records an event for its owners. */
async function recordFailure(tx: Kysely<Database>, { endpoint, at }: AttemptResult, now: number): Promise<void> {
  const failed = await tx
    .updateTable('delivery_endpoints')
    .set((row) => ({
      failures: row('failures', '+', 1),
      failing_since: sql<number>`coalesce(failing_since, ${now})`,
    }))
    .where('id', '=', endpoint.id)
    .returning(['failures', 'failing_since'])
    .executeTakeFirst();
  if (!failed) return;
  const { failures, failing_since: since } = failed;
  const isOff = endpoint.channel === 'webhook' && isSwitchedOff(failures, now - (since ?? now));
  await tx
    .updateTable('delivery_endpoints')
    .set({ cooldown_until: now + cooldownMs(failures), ...(isOff && { status: 'failed' as const }) })
    .where('id', '=', endpoint.id)
    .execute();
  if (!isOff) return;
  const accountId = endpoint.account_id ?? undefined;
  const data = { webhook_id: endpoint.id, name: endpoint.name, failures };
  await recordEvent(tx, { kind: 'webhook.switched_off', accountId, at, data });
}
