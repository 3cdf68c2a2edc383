import type { Kysely } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import { type OutboxEvent, type EventKind } from '../../core/outbox-event.ts';
import { eventFrom, recordEvent } from '../../platform/outbox/record-event.ts';
import type { Database } from '../../platform/store/database.ts';
import { databaseNow } from '../../platform/store/engine.ts';
import { type DeliveryProgress, type DeliveryRow, progressFrom } from './delivery.ts';
import type { WebhookEndpoint } from './webhooks/webhook-endpoints.ts';
import { deliverTo } from './fan-out.ts';

export interface Delivery extends DeliveryProgress {
  readonly endpointId: string;
  readonly accountId: string | undefined;
  readonly eventId: string;
  readonly kind: EventKind;
}

export interface DeliveryFilter {
  /** Undefined: deliveries to the operators' endpoints. */
  readonly accountId: string | undefined;
  readonly endpointId?: string | undefined;
  readonly state?: Delivery['state'] | undefined;
  readonly before?: Pick<Delivery, 'createdAt' | 'id'> | undefined;
  readonly limit: number;
}

/** Deliveries to the endpoints of an account or of the operators, newest first. */
export async function deliveriesOf(db: Kysely<Database>, filter: DeliveryFilter): Promise<readonly Delivery[]> {
  const { accountId, endpointId, state, before, limit } = filter;
  let query = joinedRows(db).orderBy('deliveries.created_at', 'desc').orderBy('deliveries.id', 'desc').limit(limit);
  query =
    accountId === undefined
      ? query.where('deliveries.account_id', 'is', null)
      : query.where('deliveries.account_id', '=', accountId);
  if (endpointId !== undefined) query = query.where('deliveries.endpoint_id', '=', endpointId);
  if (state !== undefined) query = query.where('deliveries.state', '=', state);
  if (before)
    query = query.where((row) =>
      row(row.refTuple('deliveries.created_at', 'deliveries.id'), '<', row.tuple(before.createdAt, before.id)),
    );
  return (await query.execute()).map(deliveryFrom);
}

export async function findDelivery(db: Kysely<Database>, id: string): Promise<Delivery | undefined> {
  const row = await joinedRows(db).where('deliveries.id', '=', id).executeTakeFirst();
  return row && deliveryFrom(row);
}

/** Excludes e-mails: they are not in this log. */
function joinedRows(db: Kysely<Database>) {
  return db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .innerJoin('delivery_endpoints', 'delivery_endpoints.id', 'deliveries.endpoint_id')
    .where('delivery_endpoints.channel', '=', 'webhook')
    .selectAll('deliveries')
    .select('events.kind');
}

function deliveryFrom(row: DeliveryRow & { readonly kind: string }): Delivery {
  return {
    ...progressFrom(row),
    endpointId: row.endpoint_id,
    accountId: row.account_id ?? undefined,
    eventId: row.event_id ?? '',
    kind: row.kind as EventKind,
  };
}

/** Sends a delivery again at once, in any state. It keeps its id and body and has all its attempts again. */
export async function redeliver(db: Kysely<Database>, id: string): Promise<void> {
  const now = databaseNow(db);
  const { endpoint_id: endpointId } = await db
    .updateTable('deliveries')
    .set({ state: 'waiting', attempts: 0, next_at: now, first_at: now })
    .where('id', '=', id)
    .returning('endpoint_id')
    .executeTakeFirstOrThrow();
  await endCooldown(db, endpointId);
}

/** A delivery that a user requested does not wait for the cooldown of the endpoint. */
async function endCooldown(db: Kysely<Database>, endpointId: string): Promise<void> {
  await db.updateTable('delivery_endpoints').set({ cooldown_until: 0 }).where('id', '=', endpointId).execute();
}

/** Sends a `webhook.test` event to one endpoint, through the same queue as other events. */
export async function sendTest(
  { db, clock }: { readonly db: Kysely<Database>; readonly clock: Clock },
  endpoint: WebhookEndpoint,
): Promise<Delivery> {
  const { id, accountId, name } = endpoint;
  const data = { webhook_id: id, name };
  const event = await recordEvent(db, { kind: 'webhook.test', accountId, at: clock.now(), data });
  await deliverTo(db, event, { endpoints: [endpoint], waiting: new Map() });
  await endCooldown(db, id);
  const row = await joinedRows(db).where('deliveries.event_id', '=', event.id).executeTakeFirstOrThrow();
  return deliveryFrom(row);
}

/** The event of a delivery; undefined if there is none or it is deleted. */
export async function eventOf(db: Kysely<Database>, eventId: string | null): Promise<OutboxEvent | undefined> {
  if (eventId === null) return undefined;
  const row = await db.selectFrom('events').selectAll().where('id', '=', eventId).executeTakeFirst();
  return row && eventFrom(row);
}
