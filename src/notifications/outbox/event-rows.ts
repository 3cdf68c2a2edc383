import { type JobStatement, statementsFor } from '../../store/job.ts';
import { insertion } from '../../store/row-statements.ts';
import type { OutboxEvent } from '../../core/outbox-event.ts';

/** Writes events inside a job, in its transaction. */
export function eventStatements(events: readonly OutboxEvent[]): readonly JobStatement[] {
  const rows = events.map(({ id, kind, accountId, at, data }) => [
    id,
    kind,
    accountId ?? null,
    at,
    JSON.stringify(data),
  ]);
  return statementsFor(insertEvents, rows);
}

const insertEvents = insertion('events', {
  id: 'text',
  kind: 'text',
  account_id: 'text',
  at: 'bigint',
  data: 'text',
});
