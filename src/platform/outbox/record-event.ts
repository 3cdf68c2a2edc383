import { hash, randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../store/database.ts';
import { type JobStatement, statementsFor } from '../store/job.ts';
import { insertion } from '../store/row-statements.ts';
import type { EventData, EventKind, OutboxEvent } from '../../core/outbox-event.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** An event with an `id` is recorded once, whichever process records it first. */
export type NewOutboxEvent = Omit<OutboxEvent, 'id'> & { readonly id?: string };

/** Call it in the transaction of the change: both are committed or neither. The fan-out reads it later. */
export async function recordEvent(db: Kysely<Database>, event: NewOutboxEvent): Promise<OutboxEvent> {
  const recorded = { ...event, id: event.id ?? newEventId() };
  const insert = db.insertInto('events').values(eventRow(recorded));
  await insert.onConflict((row) => row.column('id').doNothing()).execute();
  return recorded;
}

/** The id of an event that happens once for these values. */
export function eventIdOf(...values: readonly (string | number)[]): string {
  return `evt_${hash('sha256', JSON.stringify(values), 'hex').slice(0, 24)}`;
}

export function newEventId(): string {
  return `evt_${randomBytes(12).toString('hex')}`;
}

/** The same inside a job, in its transaction. An event with the id of an earlier one is not recorded again. */
export function eventStatements(events: readonly OutboxEvent[]): readonly JobStatement[] {
  return statementsFor(
    insertEvents,
    events.map((event) => Object.values(eventRow(event))),
  );
}

/** The columns are in the order of `insertEvents`. */
function eventRow({ id, kind, accountId, at, data }: OutboxEvent) {
  return { id, kind, account_id: accountId ?? null, at, data: JSON.stringify(data) };
}

const insertEvents = insertion(
  'events',
  { id: 'text', kind: 'text', account_id: 'text', at: 'bigint', data: 'text' },
  { onConflict: '(id) do nothing' },
);

export function eventFrom(row: Omit<OutboxRow, 'fanned_out_at'>): OutboxEvent {
  const { id, kind, account_id: accountId, at, data } = row;
  return { id, kind: kind as EventKind, accountId: accountId ?? undefined, at, data: ownJson(data) as EventData };
}

type OutboxRow = Selectable<Database['events']>;
