import type { Store } from '../store/store.ts';
import { type RequestRecord, recordOf } from './request-record.ts';

export interface RequestFilter {
  readonly accountId?: string;
  readonly keyId?: string;
  /** A catalog id. */
  readonly model?: string;
  readonly userId?: string;
  /** Only requests that started at this time or later. */
  readonly since?: number;
  /** Only requests that started before this time. */
  readonly until?: number;
  readonly status?: number;
  readonly errorsOnly?: boolean;
  /** Goes on behind this request, in the order of the list. */
  readonly after?: Pick<RequestRecord, 'startedAt' | 'id'>;
  readonly limit: number;
}

export async function findRequest(store: Store, id: string): Promise<RequestRecord | undefined> {
  const row = await store.db.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst();
  return row && recordOf(row);
}

/** Requests that match all that is said, newest first. */
export async function listRequests(store: Store, filter: RequestFilter): Promise<readonly RequestRecord[]> {
  let query = store.db
    .selectFrom('requests')
    .selectAll()
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit);
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.since !== undefined) query = query.where('started_at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('started_at', '<', filter.until);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.after) {
    const { startedAt, id } = filter.after;
    query = query.where((row) => row(row.refTuple('started_at', 'id'), '<', row.tuple(startedAt, id)));
  }
  if (filter.errorsOnly) query = query.where('error_case', 'is not', null);
  return (await query.execute()).map(recordOf);
}
