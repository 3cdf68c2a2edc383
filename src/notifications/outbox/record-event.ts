import { randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../store/database.ts';
import type { OutboxEvent, EventKind } from '../../core/outbox-event.ts';

/** An event without an id. */
export type NewOutboxEvent = Omit<OutboxEvent, 'id'>;

/**
 * Call it inside the transaction of the change: both are committed or neither. The fan-out reads the event from the
 * table later.
 */
export async function recordEvent(db: Kysely<Database>, event: NewOutboxEvent): Promise<OutboxEvent> {
  const recorded = { ...event, id: newEventId() };
  await db.insertInto('events').values(eventRow(recorded)).execute();
  return recorded;
}

export function newEventId(): string {
  return `evt_${randomBytes(12).toString('hex')}`;
}

/** The row of an event that has not been fanned out yet. */
export function eventRow({ id, kind, accountId, at, data }: OutboxEvent): OutboxRow {
  return { id, kind, account_id: accountId ?? null, at, data: JSON.stringify(data), fanned_out_at: null };
}

export function eventFrom({
  id,
  kind,
  account_id: accountId,
  at,
  data,
}: Omit<OutboxRow, 'fanned_out_at'>): OutboxEvent {
  return {
    id,
    kind: kind as EventKind,
    accountId: accountId ?? undefined,
    at,
    data: JSON.parse(data) as OutboxEvent['data'],
  };
}

type OutboxRow = Selectable<Database['events']>;
