import { type Kysely, sql } from 'kysely';
import { recordEvent } from '../outbox/record-event.ts';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import { isGivenUp, isSwitchedOff, pauseMs, cooldownMs } from './back-off.ts';
import { type SentAttempt, attemptsIn, type DeliveryRow, type Result } from './delivery.ts';
import { noPast, type EndpointRow } from './webhook-endpoints.ts';

/** Attempts that one delivery remembers; of more, the last ones. */
const trailMax = 20;

export interface AttemptResult {
  readonly receiver: EndpointRow;
  readonly delivery: DeliveryRow;
  readonly result: Result;
  /** By the clock of the process that tried. */
  readonly at: number;
  readonly ms: number;
  readonly random: number;
}

/**
 * Writes down what became of one try. Whoever dies between the try and this has told the receiver and nobody else: it is
 * told again, under the same id. A sender that was taken for dead and came back changes nothing any more.
 */
export async function noteAttempt(store: Store, tried: AttemptResult): Promise<void> {
  await store.transaction(async (tx) => {
    const { now } = await tx.selectNoFrom(databaseNow(tx).as('now')).executeTakeFirstOrThrow();
    if (!(await noteDelivery(tx, tried, now))) return;
    const { receiver, result } = tried;
    if (result.fault === undefined) {
      await tx.updateTable('receivers').set(noPast).where('id', '=', receiver.id).execute();
    } else if (!result.isFinal) await noteFailure(tx, tried, now);
  });
}

/** Says whether the delivery was as the sender had seen it. */
async function noteDelivery(tx: Kysely<Database>, tried: AttemptResult, now: number): Promise<boolean> {
  const { delivery, result, at, ms, random } = tried;
  const attempts = delivery.attempts + 1;
  const attempt: SentAttempt = { at, ms, status: result.status ?? null, fault: result.fault ?? null };
  const trail = JSON.stringify([...attemptsIn(delivery), attempt].slice(-trailMax));
  const isOver = result.isFinal || isGivenUp(attempts, now - delivery.first_at);
  const left = { state: 'waiting' as const, next_at: now + pauseMs(attempts, random) };
  const becomes =
    result.fault === undefined ? { state: 'delivered' as const } : isOver ? { state: 'given-up' as const } : left;
  const noted = await tx
    .updateTable('deliveries')
    // What a letter says is nobody's business once it is sent or given up.
    .set({ attempts, trail, ...becomes, ...(becomes.state !== 'waiting' && { payload: null }) })
    .where('id', '=', delivery.id)
    .where('state', '=', 'waiting')
    .where('attempts', '=', delivery.attempts)
    .executeTakeFirst();
  return noted.numUpdatedRows > 0n;
}

/** It is left alone for a while; one that took nothing for days is switched off, and its owners are told another way. */
async function noteFailure(tx: Kysely<Database>, { receiver, at }: AttemptResult, now: number): Promise<void> {
  const failed = await tx
    .updateTable('receivers')
    .set((row) => ({
      failures: row('failures', '+', 1),
      failing_since: sql<number>`coalesce(failing_since, ${now})`,
    }))
    .where('id', '=', receiver.id)
    .returning(['failures', 'failing_since'])
    .executeTakeFirst();
  if (!failed) return;
  const { failures, failing_since: since } = failed;
  const isOff = receiver.channel === 'webhook' && isSwitchedOff(failures, now - (since ?? now));
  await tx
    .updateTable('receivers')
    .set({ rest_until: now + cooldownMs(failures), ...(isOff && { status: 'failed' as const }) })
    .where('id', '=', receiver.id)
    .execute();
  if (!isOff) return;
  const accountId = receiver.account_id ?? undefined;
  const data = { webhook_id: receiver.id, name: receiver.name, failures };
  await recordEvent(tx, { kind: 'webhook.switched_off', accountId, at, data });
}
