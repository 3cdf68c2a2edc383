import type { Kysely } from 'kysely';
import { randomBase62 } from '../accounts/base62.ts';
import type { OutboxEvent } from '../core/outbox-event.ts';
import { eventFrom } from '../outbox/record-event.ts';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import { isUnreachable } from '../store/unreachable.ts';
import type { SentAttempt } from './delivery.ts';
import { type WebhookEndpoint, endpointFrom } from './webhook-endpoints.ts';

/** Writes the e-mails about an event. */
export type EmailWriter = (tx: Kysely<Database>, event: OutboxEvent) => Promise<void>;

const eventsPerBatch = 100;
/**
 * Maximum of waiting deliveries for one endpoint. Beyond it a new delivery is given up at once, and the log shows it.
 */
export const waitingMax = 10_000;

/**
 * Creates one delivery for each endpoint that subscribes to a pending event. The same transaction marks the event, and
 * a lock admits one process at a time: no endpoint gets an event twice, and a crash loses none. Returns whether there
 * may be more events. If an event fails, the others are fanned out one by one, then the call throws; the next call
 * retries the failed event.
 */
export async function fanOut(store: Store, writeEmails: EmailWriter = () => Promise.resolve()): Promise<boolean> {
  if ((await pendingEvents(store.db, 1)).length === 0) return false;
  try {
    const count = await fanOutBatch(store, writeEmails, (tx) => pendingEvents(tx, eventsPerBatch));
    return count === eventsPerBatch;
  } catch (error) {
    if (isUnreachable(error)) throw error;
    await fanOutEach(store, writeEmails);
    return false;
  }
}

async function fanOutEach(store: Store, writeEmails: EmailWriter): Promise<void> {
  const errors: unknown[] = [];
  for (const { id } of await pendingEvents(store.db, eventsPerBatch)) {
    await fanOutBatch(store, writeEmails, (tx) => pendingEvents(tx, 1, id)).catch((error: unknown) =>
      errors.push(error),
    );
  }
  if (errors.length > 0) throw new AggregateError(errors, `events could not be fanned out: ${String(errors[0])}`);
}

/** Fans out all selected events or none, and returns their number. */
function fanOutBatch(
  store: Store,
  writeEmails: EmailWriter,
  select: (tx: Kysely<Database>) => Promise<readonly OutboxEvent[]>,
) {
  return store.transaction(
    async (tx) => {
      const events = await select(tx);
      if (events.length === 0) return 0;
      const active = await activeEndpoints(tx);
      const waiting = active.length === 0 ? new Map<string, number>() : await waitingCounts(tx);
      for (const event of events) {
        const endpoints = active.filter((endpoint) => isSubscribed(endpoint, event));
        await deliverTo(tx, event, { endpoints, waiting });
        await writeEmails(tx, event);
      }
      const ids = events.map(({ id }) => id);
      await tx
        .updateTable('events')
        .set({ fanned_out_at: databaseNow(tx) })
        .where('id', 'in', ids)
        .execute();
      return events.length;
    },
    { lock: 'events' },
  );
}

/** Events that are not fanned out yet, oldest first; only one event if `id` is given. */
async function pendingEvents(db: Kysely<Database>, limit: number, id?: string): Promise<readonly OutboxEvent[]> {
  const rows = db
    .selectFrom('events')
    .select(['id', 'kind', 'account_id', 'at', 'data'])
    .where('fanned_out_at', 'is', null)
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('at')
    .limit(limit);
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

function isSubscribed({ accountId, kinds }: WebhookEndpoint, event: OutboxEvent): boolean {
  if (event.kind === 'webhook.test') return false;
  const isConcerned = accountId === undefined || accountId === event.accountId;
  return isConcerned && (kinds === undefined || kinds.includes(event.kind));
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
  const now = databaseNow(db);
  const rows = endpoints.map(({ id, accountId }) => {
    const before = waiting.get(id) ?? 0;
    const isOverLimit = before >= waitingMax;
    if (!isOverLimit) waiting.set(id, before + 1);
    const overLimit: SentAttempt = { at: event.at, status: null, fault: 'too-many-waiting', ms: 0 };
    return {
      id: `dlv_${randomBase62(16)}`,
      event_id: event.id,
      endpoint_id: id,
      account_id: accountId ?? null,
      target: '',
      state: isOverLimit ? ('given-up' as const) : ('waiting' as const),
      attempts: 0,
      next_at: now,
      first_at: now,
      attempt_log: JSON.stringify(isOverLimit ? [overLimit] : []),
      created_at: event.at,
    };
  });
  await db
    .insertInto('deliveries')
    .values(rows)
    .onConflict((row) => row.columns(['event_id', 'endpoint_id', 'target']).doNothing())
    .execute();
}
