import type { Selectable } from 'kysely';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';

/** What one write did to one thing. Neither side holds a secret; a side that did not exist is left out. */
export interface Change {
  readonly kind: string;
  readonly id: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Who changed something, when and by what. */
interface Occasion {
  readonly at: number;
  /** The id of a token, or `cli`. */
  readonly actor: string;
  readonly role: string;
  readonly action: string;
  readonly requestId: string | undefined;
}

export interface AuditLine extends Occasion, Change {
  readonly lineId: number;
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly kind?: string;
  readonly id?: string;
  readonly since?: number;
  readonly until?: number;
  /** The id of a line: only older ones. */
  readonly before?: number;
  readonly limit: number;
}

/** Belongs into the transaction of the change: both are seen or neither. */
export async function recordChange(store: Store, { kind, id, before, after }: Change, by: Occasion): Promise<void> {
  await store.db
    .insertInto('audit')
    .values({
      at: by.at,
      actor: by.actor,
      role: by.role,
      action: by.action,
      subject_kind: kind,
      subject_id: id,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
      request_id: by.requestId ?? null,
    })
    .execute();
}

/** Lines that match all that is said, newest first. */
export async function auditLines(store: Store, filter: AuditFilter): Promise<readonly AuditLine[]> {
  let query = store.db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(filter.limit);
  if (filter.actor !== undefined) query = query.where('actor', '=', filter.actor);
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.kind !== undefined) query = query.where('subject_kind', '=', filter.kind);
  if (filter.id !== undefined) query = query.where('subject_id', '=', filter.id);
  if (filter.since !== undefined) query = query.where('at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('at', '<', filter.until);
  if (filter.before !== undefined) query = query.where('id', '<', filter.before);
  return (await query.execute()).map(fromRow);
}

function fromRow(row: Selectable<Database['audit']>): AuditLine {
  return {
    lineId: row.id,
    at: row.at,
    actor: row.actor,
    role: row.role,
    action: row.action,
    kind: row.subject_kind,
    id: row.subject_id,
    before: row.before === null ? undefined : (JSON.parse(row.before) as unknown),
    after: row.after === null ? undefined : (JSON.parse(row.after) as unknown),
    requestId: row.request_id ?? undefined,
  };
}
