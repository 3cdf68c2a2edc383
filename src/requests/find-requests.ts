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
  readonly errorsOnly?: boolean;
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
    .orderBy('id')
    .limit(filter.limit);
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId);
  if (filter.keyId !== undefined) query = query.where('key_id', '=', filter.keyId);
  if (filter.model !== undefined) query = query.where('model', '=', filter.model);
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.since !== undefined) query = query.where('started_at', '>=', filter.since);
  if (filter.errorsOnly) query = query.where('error_case', 'is not', null);
  return (await query.execute()).map(recordOf);
}
