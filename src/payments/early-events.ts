import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import type { PaymentEvent } from './payment-provider.ts';

/** Provider events that identify a payment by the provider's own id. */
export type LaterPaymentEvent = Extract<PaymentEvent, { kind: 'refunded' | 'disputed' | 'dispute-won' }>;

/**
 * Providers retry an event for days, and it can be resent by hand for weeks. Older events belong to payments that are
 * not ours.
 */
const retentionMs = 30 * 86_400_000;

/** Stores an event of a payment that is not known as paid yet: providers send events in any order. */
export async function storeEarlyEvent(tx: Kysely<Database>, event: LaterPaymentEvent, now: number): Promise<void> {
  const row = { intent: event.intent, event: JSON.stringify(event), received_at: now };
  await tx
    .insertInto('early_payment_events')
    .values(row)
    .onConflict((kept) => kept.columns(['intent', 'event']).doNothing())
    .execute();
  await tx
    .deleteFrom('early_payment_events')
    .where('received_at', '<', now - retentionMs)
    .execute();
}

/** Returns the stored events of a payment and deletes them. */
export async function takeEarlyEvents(tx: Kysely<Database>, intent: string): Promise<readonly LaterPaymentEvent[]> {
  const rows = await tx.deleteFrom('early_payment_events').where('intent', '=', intent).returning('event').execute();
  return rows.map(({ event }) => JSON.parse(event) as LaterPaymentEvent);
}
