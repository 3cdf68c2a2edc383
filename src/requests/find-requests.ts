import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { RequestRecord } from './request-record.ts';
import { recordColumns, recordOf } from './stored-record.ts';

export interface RequestFilter {
  readonly accountId?: string;
  readonly keyId?: string;
  /** A catalog id. */
  readonly model?: string;
  readonly userId?: string;
  /** Only those of one of these keys. */
  readonly keyIds?: readonly string[];
  /** Only those of which this is not known: a client that named no user, a model that does not exist. */
  readonly without?: Absent;
  /** Who was asked last. */
  readonly upstream?: string;
  readonly site?: string;
  /** Only requests that started at this time or later. */
  readonly since?: number;
  /** Only requests that started before this time. */
  readonly until?: number;
  readonly status?: number;
  /** 4 is every status from 400 to 499. */
  readonly statusClass?: StatusClass;
  /** Only those that failed, before or after their status went out. */
  readonly errorsOnly?: boolean;
  /** Only those that failed in this way. */
  readonly errorCase?: string;
  /** The next page: only requests that come after this one in the list. The last record of a page will do. */
  readonly after?: RequestPosition;
  readonly limit: number;
}

export type StatusClass = 2 | 3 | 4 | 5;

/** What a request may be without. */
export const absences = ['model', 'user_id', 'upstream', 'error_case'] as const;
export type Absent = (typeof absences)[number];

/** Where a request stands in the list. */
export type RequestPosition = Pick<RequestRecord, 'startedAt' | 'id'>;

export async function findRequest(store: Store, id: string): Promise<RequestRecord | undefined> {
  const row = await store.db.selectFrom('requests').select(recordColumns).where('id', '=', id).executeTakeFirst();
  return row && recordOf(row);
}

/** Requests that match all that is said, newest first. */
export async function listRequests(store: Store, filter: RequestFilter): Promise<readonly RequestRecord[]> {
  const rows = await matching(store, filter)
    .select(recordColumns)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .execute();
  return rows.map(recordOf);
}

export type Requests = SelectQueryBuilder<Database, 'requests', object>;

/** What matches all that is said, in no order yet. */
export function matching(store: Store, filter: RequestFilter): Requests {
  let query: Requests = store.db.selectFrom('requests');
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.keyIds !== undefined) query = ofKeys(query, filter.keyIds);
  if (filter.without !== undefined) query = query.where(filter.without, 'is', null);
  if (filter.upstream !== undefined) query = query.where('upstream', '=', filter.upstream);
  if (filter.site !== undefined) query = query.where('site', '=', filter.site);
  if (filter.since !== undefined) query = query.where('started_at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('started_at', '<', filter.until);
  if (filter.status !== undefined) query = ofStatus(query, filter.status);
  if (filter.errorCase !== undefined) query = query.where('error_case', '=', filter.errorCase);
  if (filter.errorsOnly || filter.errorCase !== undefined) query = query.where('error_case', 'is not', null);
  if (filter.statusClass !== undefined) query = ofClass(query, filter.statusClass);
  return filter.after === undefined ? query : following(query, filter.after);
}

/** An expression, for which no index is used: by that of keys the requests of many would have to be sorted. */
function ofKeys(query: Requests, ids: readonly string[]): Requests {
  // No key has an empty id.
  return query.where(sql`key_id || ''`, 'in', ids.length === 0 ? [''] : [...ids]);
}

function ofStatus(query: Requests, status: number): Requests {
  const exact = query.where('status', '=', status);
  return status >= 400 ? exact.where('status', '>=', sql.lit(400)) : exact;
}

/** Refusals are few, so they have an index of their own, which is used only by who says literally what it holds. */
function ofClass(query: Requests, statusClass: StatusClass): Requests {
  const within = query.where('status', '>=', statusClass * 100).where('status', '<', (statusClass + 1) * 100);
  return statusClass >= 4 ? within.where('status', '>=', sql.lit(400)) : within;
}

function following(query: Requests, { startedAt, id }: RequestPosition): Requests {
  return query.where((is) => is(is.refTuple('started_at', 'id'), '<', is.tuple(startedAt, id)));
}
