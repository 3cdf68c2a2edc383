import type { Kysely } from 'kysely';
import { namedOnlyKind, type OutboxEvent } from '../../core/outbox-event.ts';
import { eventFrom } from '../../platform/outbox/record-event.ts';
import { bisect } from '../../platform/store/bisect.ts';
import type { Database } from '../../platform/store/database.ts';
import { databaseNow } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import { addDeliveries, newDeliveryId } from './delivery.ts';
import { type WebhookEndpoint, endpointFrom } from './webhooks/webhook-endpoints.ts';

/** Writes the e-mails about an event. */
export type EmailWriter = (tx: Kysely<Database>, event: OutboxEvent) => Promise<void>;

const eventsPerBatch = 100;
/** Waiting deliveries of one endpoint. Beyond it a new delivery is given up at once, and the log shows it. */
export const waitingMax = 10_000;

/**
 * Creates one delivery for each endpoint that subscribes to a pending event. The same transaction marks the event, and
 * a lock admits one process at a time: no endpoint gets an event twice, and a crash loses none. Returns whether there
 * may be more events. If events fail, the others are fanned out, then the call throws; the next call retries them.
 */
export async function fanOut(store: Store, writeEmails: EmailWriter = () => Promise.resolve()): Promise<boolean> {
  const pending = (await pendingEvents(store.db)).map(({ id }) => id);
  if (pending.length === 0) return false;
  const errors = (await bisect(pending, (ids) => fanOutBatch(store, writeEmails, ids))).map(({ error }) => error);
  if (errors.length > 0) throw new AggregateError(errors, `events could not be fanned out: ${String(errors[0])}`);
  return pending.length === eventsPerBatch;
}

/** Fans out all of these events or none. Another process may have done some of them meanwhile. */
function fanOutBatch(store: Store, writeEmails: EmailWriter, ids: readonly string[]): Promise<void> {
  return store.transaction(
    async (tx) => {
      const events = ids.length === 0 ? [] : await pendingEvents(tx, ids);
      if (events.length === 0) return;
      const active = await activeEndpoints(tx);
      const waiting = active.length === 0 ? new Map<string, number>() : await waitingCounts(tx);
      for (const event of events) {
        const concerned = await concernedAccounts(tx, event);
        const endpoints = active.filter((endpoint) => isSubscribed(endpoint, event, concerned));
        await deliverTo(tx, event, { endpoints, waiting });
        await writeEmails(tx, event);
      }
      await tx
        .updateTable('events')
        .set({ fanned_out_at: databaseNow(tx) })
        .where('id', 'in', ids)
        .where('fanned_out_at', 'is', null)
        .execute();
    },
    { lock: 'events' },
  );
}

/** The first events that are not fanned out yet, oldest first; only those among `ids`, if given. */
async function pendingEvents(db: Kysely<Database>, ids?: readonly string[]): Promise<readonly OutboxEvent[]> {
  const rows = db
    .selectFrom('events')
    .select(['id', 'kind', 'account_id', 'at', 'data'])
    .where('fanned_out_at', 'is', null)
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .orderBy('at')
    .limit(eventsPerBatch);
  return (await rows.execute()).map(eventFrom);
}

async function activeEndpoints(db: Kysely<Database>): Promise<readonly WebhookEndpoint[]> {
  const rows = db
    .selectFrom('delivery_endpoints')
    .selectAll()
    .where('channel', '=', 'webhook')
    .where('status', '=', 'on');
  return (await rows.execute()).map(endpointFrom);
}

/** The account of the event, or all accounts of its organisation. */
async function concernedAccounts(
  db: Kysely<Database>,
  { accountId, data: { organisation_id: organisationId } }: OutboxEvent,
): Promise<ReadonlySet<string>> {
  if (accountId !== undefined || typeof organisationId !== 'string')
    return new Set(accountId === undefined ? [] : [accountId]);
  const rows = await db.selectFrom('accounts').select('id').where('organisation_id', '=', organisationId).execute();
  return new Set(rows.map(({ id }) => id));
}

function isSubscribed(
  { accountId, kinds }: WebhookEndpoint,
  event: OutboxEvent,
  concerned: ReadonlySet<string>,
): boolean {
  if (event.kind === 'webhook.test') return false;
  const isConcerned = accountId === undefined || concerned.has(accountId);
  return isConcerned && (kinds === undefined ? event.kind !== namedOnlyKind : kinds.includes(event.kind));
}

async function waitingCounts(db: Kysely<Database>): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['endpoint_id', (row) => row.fn.countAll<string>().as('count')])
    .where('state', '=', 'waiting')
    .groupBy('endpoint_id')
    .execute();
  return new Map(rows.map(({ endpoint_id: id, count }) => [id, Number(count)]));
}

interface FanOutTarget {
  readonly endpoints: readonly Pick<WebhookEndpoint, 'id' | 'accountId'>[];
  /** Number of waiting deliveries for each endpoint. Updated by `deliverTo`. */
  readonly waiting: Map<string, number>;
}

/** Creates the deliveries of one event. Existing deliveries stay unchanged. */
export async function deliverTo(
  db: Kysely<Database>,
  event: OutboxEvent,
  { endpoints, waiting }: FanOutTarget,
): Promise<void> {
  if (endpoints.length === 0) return;
  const deliveries = endpoints.map(({ id, accountId }) => {
    const before = waiting.get(id) ?? 0;
    const isOverLimit = before >= waitingMax;
    if (!isOverLimit) waiting.set(id, before + 1);
    const fault = isOverLimit ? ('too-many-waiting' as const) : undefined;
    return { id: newDeliveryId(), eventId: event.id, endpointId: id, accountId, createdAt: event.at, fault };
  });
  await addDeliveries(db, deliveries);
}
