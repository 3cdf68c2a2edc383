import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import {
  indexesFor,
  type Leading,
  matching,
  type RequestFilter,
  type RequestPosition,
  type Requests,
} from './find-requests.ts';
import type { RequestRecord } from './request-record.ts';
import { recordColumns, recordOf } from './stored-record.ts';

/**
 * So many requests are looked at for one page, and no more. Whom a search is about and when is found by an index; what
 * else it asks for, and the order of costs and durations, can only be found by looking at every request of that.
 */
export const examinedMax = 20_000;

export const requestOrders = ['newest', 'oldest', 'costliest', 'cheapest', 'slowest', 'fastest'] as const;
export type RequestOrder = (typeof requestOrders)[number];

export interface RequestSearch extends Omit<RequestFilter, 'after'> {
  readonly order: RequestOrder;
  /** The `next` of the page before, in the same order. */
  readonly after?: SearchPosition | undefined;
  readonly examinedMax?: number;
}

/** Where a page of a search ended. */
export type SearchPosition = RequestPosition & {
  /** In an order of values: the last value, and what the first page looked at. */
  readonly ranked?: { readonly value: string; readonly until: number; readonly edge: RequestPosition | undefined };
};

export interface SearchedPage {
  readonly records: readonly RequestRecord[];
  /** Undefined when there is nothing more; there may be more though the page has fewer rows than it could. */
  readonly next: SearchPosition | undefined;
  /** Requests beyond this time, in the direction of the search, were not looked at; undefined where all were. */
  readonly searchedTo: number | undefined;
}

/** A page of the requests that match all that is said. Its work is bounded, however many requests there are. */
export function searchRequests(store: Store, search: RequestSearch, now: number): Promise<SearchedPage> {
  return search.order === 'newest' || search.order === 'oldest'
    ? inTime(store, search)
    : ranked(store, { ...search, order: search.order }, now);
}

/** Most of what is searched for is found among the first few; only what is rare is worth to be looked for among many. */
const examinedFirst = 1000;

function amongFew(search: RequestSearch): RequestSearch {
  return { ...search, examinedMax: Math.min(examinedFirst, search.examinedMax ?? examinedMax) };
}

async function inTime(store: Store, search: RequestSearch): Promise<SearchedPage> {
  const { order: _order, after: _after, examinedMax: _examined, ...filter } = search;
  // What an index finds by itself is found in so many steps as there are rows on the page.
  if (isFoundByIndex(filter)) return pageInTime(store, search, { edge: undefined });
  const page = await pageInTime(store, search, await furthest(store, amongFew(search)));
  return page.searchedTo === undefined ? page : pageInTime(store, search, await furthest(store, search));
}

async function pageInTime(store: Store, search: RequestSearch, { index, edge }: Looked): Promise<SearchedPage> {
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

/** The ids of a page and one more. By themselves they are found in an index where that has all that is asked for. */
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

async function ranked(
  store: Store,
  { order, limit, after, ...search }: RequestSearch & { readonly order: Ranking },
  now: number,
): Promise<SearchedPage> {
  // Later pages look at what the first one looked at, whatever has come since.
  const until = after?.ranked?.until ?? Math.min(search.until ?? Number.POSITIVE_INFINITY, now + 1);
  const filter = { ...search, until, limit };
  const near = await furthest(store, amongFew({ ...filter, order }));
  const looked = near.edge === undefined ? near : await furthest(store, { ...filter, order });
  const edge = after ? after.ranked?.edge : looked.edge;
  const [value, direction] = rankings[order];
  let query = matching(store, filter, looked.index);
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

/** What was not charged ranks below what cost nothing. */
const cost = sql<string>`coalesce(cost, -1)`;
const duration = sql<string>`duration_ms`;

type SortDirection = 'asc' | 'desc';

/** In which direction of time it is looked; values are ranked among the newest. */
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

/** Whether every match is a step in an index: one that is asked for by its key, or by its time alone. */
function isFoundByIndex(filter: RequestFilter): boolean {
  const { limit: _limit, since: _since, until: _until, ...asked } = filter;
  const said = Object.values(asked).filter((value) => value !== undefined && value !== false).length;
  return said === 0 || (said === 1 && filter.errorsOnly === true) || said === indexesFor(filter)[0]?.length;
}

interface Looked {
  readonly index?: readonly Leading[] | undefined;
  /** The last request that may be looked at; undefined where there are not that many. */
  readonly edge: RequestPosition | undefined;
}

/** The user of an account may have many requests where the key has few, or the other way round: which of them reach further is tried. */
async function furthest(store: Store, search: RequestSearch): Promise<Looked> {
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

/** Where the requests of an index end that may be looked at. Read from the index alone. */
async function edgeOf(
  store: Store,
  { order, after, ...search }: RequestSearch,
  index: readonly Leading[] | undefined,
): Promise<RequestPosition | undefined> {
  const direction = directionOf(order);
  const row = await from(among(store, search, index), direction, after)
    .select(['started_at', 'id'])
    .orderBy('started_at', direction)
    .orderBy('id', direction)
    .offset((search.examinedMax ?? examinedMax) - 1)
    .limit(1)
    .executeTakeFirst();
  return row && { startedAt: row.started_at, id: row.id };
}

/** The requests of one index: what else is asked for is looked up in each of them. */
function among(store: Store, filter: Omit<RequestFilter, 'limit'>, index: readonly Leading[] | undefined): Requests {
  const { since, until } = filter;
  const span = { since, until, limit: 0 };
  if (index) return matching(store, { ...span, ...Object.fromEntries(index.map((name) => [name, filter[name]])) });
  if (filter.errorsOnly || filter.errorCase !== undefined) return matching(store, { ...span, errorsOnly: true });
  const isRefusal = (filter.status ?? 0) >= 400 || (filter.statusClass ?? 0) >= 4;
  const query = matching(store, span);
  return isRefusal ? query.where('status', '>=', sql.lit(400)) : query;
}

/** What comes behind a position in this direction. */
function from(query: Requests, direction: SortDirection, after: RequestPosition | undefined): Requests {
  if (after === undefined) return query;
  const { startedAt, id } = after;
  return query.where((is) =>
    is(is.refTuple('started_at', 'id'), direction === 'desc' ? '<' : '>', is.tuple(startedAt, id)),
  );
}

/** Only what comes no later in this direction than the last that may be looked at. */
function upTo(query: Requests, direction: SortDirection, { startedAt, id }: RequestPosition): Requests {
  return query.where((is) =>
    is(is.refTuple('started_at', 'id'), direction === 'desc' ? '>=' : '<=', is.tuple(startedAt, id)),
  );
}

function positionOf(record: RequestRecord | undefined): RequestPosition | undefined {
  return record && { startedAt: record.startedAt, id: record.id };
}
