import { randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../store/database.ts';
import type { OutboxEvent, EventKind } from '../core/outbox-event.ts';

/** A notice that has no id yet. */
export type NewOutboxEvent = Omit<OutboxEvent, 'id'>;

/** Belongs into the transaction of what happened: both are there or neither. Whoever sends it finds it there. */
export async function recordEvent(db: Kysely<Database>, notice: NewOutboxEvent): Promise<OutboxEvent> {
  const made = { ...notice, id: newEventId() };
  await db.insertInto('notices').values(noticeRow(made)).execute();
  return made;
}

export function newEventId(): string {
  return `evt_${randomBytes(12).toString('hex')}`;
}

/** A notice as its table has it; nobody has been found for it yet. */
export function noticeRow({ id, kind, accountId, at, data }: OutboxEvent): OutboxRow {
  return { id, kind, account_id: accountId ?? null, at, data: JSON.stringify(data), shared_at: null };
}

export function eventFrom({ id, kind, account_id: accountId, at, data }: Omit<OutboxRow, 'shared_at'>): OutboxEvent {
  return {
    id,
    kind: kind as EventKind,
    accountId: accountId ?? undefined,
    at,
    data: JSON.parse(data) as OutboxEvent['data'],
  };
}

type OutboxRow = Selectable<Database['notices']>;
