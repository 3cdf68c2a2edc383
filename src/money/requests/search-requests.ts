import { sql } from 'kysely';
import type { Store } from '../../platform/store/store.ts';
import {
  beside,
  indexesFor,
  type IndexedField,
  matching,
  recordColumns,
  recordOf,
  type RequestFilter,
  type RequestPosition,
  type Requests,
} from './find-requests.ts';
import type { RequestRecord } from './request-record.ts';

/** Requests examined for one page. Only filters on owner and time have an index; the others look at every one. */
export const examinedMax = 20_000;

export const requestOrders = ['newest', 'oldest', 'costliest', 'cheapest', 'slowest', 'fastest'] as const;
export type RequestOrder = (typeof requestOrders)[number];

export interface RequestSearch extends Omit<RequestFilter, 'after'> {
  readonly order: RequestOrder;
  /** The `next` of the previous page, in the same order. */
  readonly after?: SearchPosition | undefined;
  readonly examinedMax?: number;
}

export type SearchPosition = RequestPosition & {
  /** When ordered by a value: the last value, and the range that the first page examined. */
  readonly ranked?: { readonly value: string; readonly until: number; readonly edge: RequestPosition | undefined };
};

export interface SearchedPage {
  readonly records: readonly RequestRecord[];
  /** Undefined if there are no more results. There may be more even if the page is not full. */
  readonly next: SearchPosition | undefined;
  /** Requests beyond this time, in the direction of the search, were not examined; undefined if all were. */
  readonly searchedTo: number | undefined;
}

/** Returns a page of the requests that match all filters. Its work is limited, however many requests there are. */
export function searchRequests(store: Store, search: RequestSearch, now: number): Promise<SearchedPage> {
  return search.order === 'newest' || search.order === 'oldest'
    ? searchByTime(store, search)
    : searchByValue(store, { ...search, order: search.order }, now);
}

/** Most searches find their results among the first few requests. Only rare results need the larger limit. */
const examinedFirst = 1000;

function amongFew(search: RequestSearch): RequestSearch {
  return { ...search, examinedMax: Math.min(examinedFirst, search.examinedMax ?? examinedMax) };
}

async function searchByTime(store: Store, search: RequestSearch): Promise<SearchedPage> {
  const { order: _order, after: _after, examinedMax: _examined, ...filter } = search;
  // If an index serves all filters, the page takes as many steps as it has rows.
  if (isFoundByIndex(filter)) return pageByTime(store, search, { edge: undefined });
  const page = await pageByTime(store, search, await furthestRange(store, amongFew(search)));
  return page.searchedTo === undefined ? page : pageByTime(store, search, await furthestRange(store, search));
}

async function pageByTime(store: Store, search: RequestSearch, { index, edge }: ExaminedRange): Promise<SearchedPage> {
  const { order, after, examinedMax: _examined, ...filter } = search;
  const { limit } = filter;
  const direction = directionOf(order);
  let query = from(matching(store, filter, index), direction, after);
  if (edge) query = upTo(query, direction, edge);
  const rows = await store.db
    .selectFrom('requests')
    .select(recordColumns)
    .where('id', 'in', firstOf(query, { by: 'started_at', direction, limit }))
    .orderBy('started_at', direction)
    .orderBy('id', direction)
    .execute();
  const records = rows.slice(0, limit).map(recordOf);
  if (rows.length > limit) return { records, next: positionOf(records.at(-1)), searchedTo: undefined };
  return { records, next: edge, searchedTo: edge?.startedAt };
}

/** The ids of a page and one more. Selecting only ids lets a covering index answer the query alone. */
function firstOf(
  query: Requests,
  { by, direction, limit }: { by: 'started_at' | typeof cost; direction: SortDirection; limit: number },
) {
  return query
    .select('id')
    .orderBy(by, direction)
    .orderBy('id', direction)
    .limit(limit + 1);
}

type Ranking = Exclude<RequestOrder, 'newest' | 'oldest'>;

async function searchByValue(
  store: Store,
  { order, limit, after, ...search }: RequestSearch & { readonly order: Ranking },
  now: number,
): Promise<SearchedPage> {
  // Later pages examine the same range as the first one, without newer requests.
  const until = after?.ranked?.until ?? Math.min(search.until ?? Number.POSITIVE_INFINITY, now + 1);
  const filter = { ...search, until, limit };
  const near = await furthestRange(store, amongFew({ ...filter, order }));
  const range = near.edge === undefined ? near : await furthestRange(store, { ...filter, order });
  const edge = after ? after.ranked?.edge : range.edge;
  const [value, direction] = rankings[order];
  let query = matching(store, filter, range.index);
  if (edge) query = upTo(query, 'desc', edge);
  if (after?.ranked)
    query = query.where(
      sql<boolean>`(${value}, id) ${beyond[direction]} (cast(${after.ranked.value} as bigint), ${after.id})`,
    );
  const rows = await store.db
    .selectFrom('requests')
    .select([...recordColumns, sql<string>`cast(${value} as text)`.as('value')])
    .where('id', 'in', firstOf(query, { by: value, direction, limit }))
    .orderBy(value, direction)
    .orderBy('id', direction)
    .execute();
  const records = rows.slice(0, limit).map(recordOf);
  const last = rows[limit - 1];
  const position = rows.length > limit ? positionOf(records.at(-1)) : undefined;
  const next = position && last && { ...position, ranked: { value: last.value, until, edge } };
  return { records, next, searchedTo: edge?.startedAt };
}

/** Requests without a charge rank below those that cost 0. */
const cost = sql<string>`coalesce(cost, -1)`;
const duration = sql<string>`duration_ms`;

type SortDirection = 'asc' | 'desc';

/** Direction in time. The orders by value rank the newest requests. */
function directionOf(order: RequestOrder): SortDirection {
  return order === 'oldest' ? 'asc' : 'desc';
}

const rankings: Readonly<Record<Ranking, readonly [typeof cost, SortDirection]>> = {
  costliest: [cost, 'desc'],
  cheapest: [cost, 'asc'],
  slowest: [duration, 'desc'],
  fastest: [duration, 'asc'],
};
const beyond = { asc: sql`>`, desc: sql`<` } as const;

/** Whether every index step is a match: the filters are exactly the columns of an index, or only the time. */
function isFoundByIndex(filter: RequestFilter): boolean {
  const { limit: _limit, since: _since, until: _until, ...criteria } = filter;
  const given = Object.values(criteria).filter((value) => value !== undefined && value !== false).length;
  return given === 0 || (given === 1 && filter.errorsOnly === true) || given === indexesFor(filter)[0]?.length;
}

interface ExaminedRange {
  readonly index?: readonly IndexedField[] | undefined;
  /** The last request that may be examined; undefined if there are fewer than the limit. */
  readonly edge: RequestPosition | undefined;
}

/** Tries both indexes: the user of an account may have many requests and the key few, or the reverse. */
async function furthestRange(store: Store, search: RequestSearch): Promise<ExaminedRange> {
  const [first, second] = indexesFor(search);
  const edge = await edgeOf(store, search, first);
  if (edge === undefined || second?.[0] !== 'keyId') return { index: first, edge };
  const other = await edgeOf(store, search, second);
  const isFurther = other === undefined || isBeyond(other, edge, directionOf(search.order));
  return isFurther ? { index: second, edge: other } : { index: first, edge };
}

function isBeyond(one: RequestPosition, other: RequestPosition, direction: SortDirection): boolean {
  return direction === 'desc' ? one.startedAt < other.startedAt : one.startedAt > other.startedAt;
}

/** Position of the last request of an index that may be examined. Read from the index alone. */
async function edgeOf(
  store: Store,
  { order, after, ...search }: RequestSearch,
  index: readonly IndexedField[] | undefined,
): Promise<RequestPosition | undefined> {
  const direction = directionOf(order);
  const row = await from(requestsInIndex(store, search, index), direction, after)
    .select(['started_at', 'id'])
    .orderBy('started_at', direction)
    .orderBy('id', direction)
    .offset((search.examinedMax ?? examinedMax) - 1)
    .limit(1)
    .executeTakeFirst();
  return row && { startedAt: row.started_at, id: row.id };
}

/** The requests in one index; the other filters apply to each of them. */
function requestsInIndex(
  store: Store,
  filter: Omit<RequestFilter, 'limit'>,
  index: readonly IndexedField[] | undefined,
): Requests {
  const { since, until } = filter;
  const span = { since, until, limit: 0 };
  if (index) return matching(store, { ...span, ...Object.fromEntries(index.map((name) => [name, filter[name]])) });
  if (filter.errorsOnly || filter.errorCase !== undefined) return matching(store, { ...span, errorsOnly: true });
  const isRefusal = (filter.status ?? 0) >= 400 || (filter.statusClass ?? 0) >= 4;
  const query = matching(store, span);
  return isRefusal ? query.where('status', '>=', sql.lit(400)) : query;
}

/** Only requests after a position in this direction. */
function from(query: Requests, direction: SortDirection, after: RequestPosition | undefined): Requests {
  return after === undefined ? query : beside(query, direction === 'desc' ? '<' : '>', after);
}

/** Only requests up to the last one that may be examined. */
function upTo(query: Requests, direction: SortDirection, edge: RequestPosition): Requests {
  return beside(query, direction === 'desc' ? '>=' : '<=', edge);
}

function positionOf(record: RequestRecord | undefined): RequestPosition | undefined {
  return record && { startedAt: record.startedAt, id: record.id };
}
