import { type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import { engineOf } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import { readTags, requestColumns, type RequestRecord, type RequestRow } from './request-record.ts';
import { decodeAttempts } from './attempt-record.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

export interface RequestFilter {
  readonly accountId?: string;
  readonly keyId?: string;
  /** A catalog id. */
  readonly model?: string;
  readonly userId?: string;
  /** One of its tags. */
  readonly tag?: string;
  readonly keyIds?: readonly string[];
  /** Only requests without this value, such as no user named by the client, or a model that does not exist. */
  readonly without?: AbsentField;
  /** The upstream of the last attempt. */
  readonly upstream?: string;
  readonly site?: string;
  /** Only requests that started at this time or later. */
  readonly since?: number;
  /** Only requests that started before this time. */
  readonly until?: number;
  readonly status?: number;
  /** 4 means every status from 400 to 499. */
  readonly statusClass?: StatusClass;
  /** Only failed requests, whether the failure came before or after the status was sent. */
  readonly errorsOnly?: boolean;
  readonly errorCase?: string;
  /** For the next page: only requests after this one in the list, for example the last record of a page. */
  readonly after?: RequestPosition;
  readonly limit: number;
}

export type StatusClass = 2 | 3 | 4 | 5;

/** Values that a request may lack. */
export const absentFields = ['model', 'user_id', 'upstream', 'error_case', 'tags'] as const;
export type AbsentField = (typeof absentFields)[number];

export type RequestPosition = Pick<RequestRecord, 'startedAt' | 'id'>;

export async function findRequest(store: Store, id: string): Promise<RequestRecord | undefined> {
  const row = await store.db.selectFrom('requests').select(recordColumns).where('id', '=', id).executeTakeFirst();
  return row && recordOf(row);
}

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

/** Columns that an index can begin with. */
const indexedColumns = {
  accountId: 'account_id',
  keyId: 'key_id',
  model: 'model',
  userId: 'user_id',
  site: 'site',
} as const;
export type IndexedField = keyof typeof indexedColumns;

/** Leading columns of the indexes, the most selective first. */
const indexed = [
  ['accountId', 'userId'],
  ['keyId'],
  ['accountId'],
  ['userId'],
  ['model'],
  ['site'],
] as const satisfies readonly (readonly IndexedField[])[];

/** The indexes that serve a filter, the most selective first. */
export function indexesFor(filter: Partial<RequestFilter>): readonly (readonly IndexedField[])[] {
  return indexed.filter((columns) => columns.every((name) => filter[name] !== undefined));
}

/** Unordered, through one index: the engines would guess, not knowing how many requests a key or a user has. */
export function matching(store: Store, filter: RequestFilter, index = indexesFor(filter)[0] ?? []): Requests {
  let query: Requests = store.db.selectFrom('requests');
  for (const name of Object.keys(indexedColumns) as IndexedField[]) {
    const wanted = filter[name];
    if (wanted === undefined) continue;
    const column = indexedColumns[name];
    query = index.includes(name) ? query.where(column, '=', wanted) : query.where(unindexed(column), '=', wanted);
  }
  if (filter.keyIds !== undefined) query = ofKeys(query, filter.keyIds);
  if (filter.tag !== undefined) query = tagged(store, query, filter.tag);
  if (filter.without !== undefined) query = query.where(filter.without, 'is', null);
  if (filter.upstream !== undefined) query = query.where('upstream', '=', filter.upstream);
  if (filter.since !== undefined) query = query.where('started_at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('started_at', '<', filter.until);
  if (filter.status !== undefined) query = ofStatus(query, filter.status);
  if (filter.errorCase !== undefined) query = query.where('error_case', '=', filter.errorCase);
  if (filter.errorsOnly || filter.errorCase !== undefined) query = query.where('error_case', 'is not', null);
  if (filter.statusClass !== undefined) query = ofClass(query, filter.statusClass);
  return filter.after === undefined ? query : beside(query, '<', filter.after);
}

/** Tags are stored one per line. Engines compare a part of a text exactly under different names. */
function tagged(store: Store, query: Requests, tag: string): Requests {
  const at = sql.raw(engineOf(store.db) === 'postgres' ? 'strpos' : 'instr');
  const line = (text: RawBuilder<unknown>) => sql`cast(${'\n'} as text) || ${text} || cast(${'\n'} as text)`;
  return query.where(sql<boolean>`${at}(${line(sql`tags`)}, ${line(sql`cast(${tag} as text)`)}) > 0`);
}

/** An expression that no index matches. */
function unindexed(column: (typeof indexedColumns)[IndexedField]): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} || ''`;
}

/** Avoids the index of keys, because the requests of many keys would have to be sorted. */
function ofKeys(query: Requests, ids: readonly string[]): Requests {
  // No key has an empty id.
  return query.where(unindexed('key_id'), 'in', ids.length === 0 ? [''] : [...ids]);
}

function ofStatus(query: Requests, status: number): Requests {
  const exact = query.where('status', '=', status);
  return status >= 400 ? exact.where('status', '>=', sql.lit(400)) : exact;
}

/** Failed requests have a partial index. The engines use it only if the condition contains its literal. */
function ofClass(query: Requests, statusClass: StatusClass): Requests {
  const within = query.where('status', '>=', statusClass * 100).where('status', '<', (statusClass + 1) * 100);
  return statusClass >= 4 ? within.where('status', '>=', sql.lit(400)) : within;
}

/** Only requests on one side of a position, in the order of time. */
export function beside(query: Requests, side: '<' | '>' | '<=' | '>=', { startedAt, id }: RequestPosition): Requests {
  return query.where((is) => is(is.refTuple('started_at', 'id'), side, is.tuple(startedAt, id)));
}

/** Columns of a record. Money is read as text, because it may exceed a number. */
export const recordColumns = [
  ...(Object.keys(requestColumns) as (keyof RequestRow)[]).filter(
    (name) => name !== 'cost' && name !== 'provider_cost',
  ),
  sql<string | null>`cast(cost as text)`.as('cost'),
  sql<string | null>`cast(provider_cost as text)`.as('provider_cost'),
] as const;

export function recordOf(row: StoredRow): RequestRecord {
  return {
    id: row.id,
    startedAt: row.started_at,
    accountId: row.account_id,
    keyId: row.key_id,
    userId: row.user_id ?? undefined,
    site: row.site,
    surface: row.surface,
    requestedModel: row.requested_model,
    model: row.model ?? undefined,
    upstream: row.upstream ?? undefined,
    upstreamModel: row.upstream_model ?? undefined,
    status: row.status,
    errorCase: row.error_case ?? undefined,
    errorDetail: row.error_detail ?? undefined,
    finish: row.finish ?? undefined,
    promptTokens: row.prompt_tokens ?? undefined,
    completionTokens: row.completion_tokens ?? undefined,
    cachedTokens: row.cached_tokens ?? undefined,
    cacheWrite5mTokens: row.cache_write_5m_tokens ?? undefined,
    cacheWrite1hTokens: row.cache_write_1h_tokens ?? undefined,
    reasoningTokens: row.reasoning_tokens ?? undefined,
    usageSource: row.usage_source ?? undefined,
    attemptCount: row.attempts,
    attempts: decodeAttempts(row.attempt_log),
    queuePosition: row.queue_position ?? undefined,
    waitMs: row.wait_ms ?? undefined,
    firstByteMs: row.first_byte_ms ?? undefined,
    durationMs: row.duration_ms,
    clientGone: row.client_gone === 1,
    requestedWhole: row.requested_whole === null ? undefined : row.requested_whole === 1,
    unwantedStream: row.unwanted_stream === null ? undefined : row.unwanted_stream === 1,
    notes: row.notes === null ? [] : (ownJson(row.notes) as string[]),
    cost: row.cost === null ? undefined : BigInt(row.cost),
    priceVersion: row.price_version ?? undefined,
    costLines: row.cost_lines ?? undefined,
    providerCost: row.provider_cost === null ? undefined : BigInt(row.provider_cost),
    replayOf: row.replay_of ?? undefined,
    tags: row.tags === null ? undefined : readTags(row.tags),
    toolUses: row.tool_uses === null ? undefined : (ownJson(row.tool_uses) as Record<string, number>),
  };
}

type StoredRow = Selectable<Database['requests']>;
