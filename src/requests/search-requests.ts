import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { matching, type RequestFilter, type RequestPosition, type Requests } from './find-requests.ts';
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

async function inTime(store: Store, search: RequestSearch): Promise<SearchedPage> {
  const { order, after, examinedMax: _examined, ...filter } = search;
  const { limit } = filter;
  const direction = directionOf(order);
  // What an index finds by itself is found in so many steps as there are rows on the page.
  const edge = isFoundByIndex(filter) ? undefined : await edgeOf(store, search);
  let query = from(matching(store, filter), direction, after);
  if (edge) query = upTo(query, direction, edge);
  const rows = await query
    .select(recordColumns)
    .orderBy('started_at', direction)
    .orderBy('id', direction)
    .limit(limit + 1)
    .execute();
  const records = rows.slice(0, limit).map(recordOf);
  if (rows.length > limit) return { records, next: positionOf(records.at(-1)), searchedTo: undefined };
  return { records, next: edge, searchedTo: edge?.startedAt };
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
  const edge = after ? after.ranked?.edge : await edgeOf(store, { ...filter, order });
  const [value, direction] = rankings[order];
  let query = matching(store, filter);
  if (edge) query = upTo(query, 'desc', edge);
  if (after?.ranked)
    query = query.where(
      sql<boolean>`(${value}, id) ${beyond[direction]} (cast(${after.ranked.value} as bigint), ${after.id})`,
    );
  const rows = await query
    .select([...recordColumns, sql<string>`cast(${value} as text)`.as('value')])
    .orderBy(value, direction)
    .orderBy('id', direction)
    .limit(limit + 1)
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

type Direction = 'asc' | 'desc';

/** In which direction of time it is looked; values are ranked among the newest. */
function directionOf(order: RequestOrder): Direction {
  return order === 'oldest' ? 'asc' : 'desc';
}

const rankings: Readonly<Record<Ranking, readonly [typeof cost, Direction]>> = {
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
  return said === 0 || (said === 1 && filter.errorsOnly === true) || said === indexFor(filter)?.length;
}

/** Columns that begin an index, the most telling first; the planner takes them in this order too. */
const indexed = [['accountId', 'userId'], ['keyId'], ['accountId'], ['userId'], ['model'], ['site']] as const;

function indexFor(filter: Omit<RequestFilter, 'limit'>): (typeof indexed)[number] | undefined {
  return indexed.find((columns) => columns.every((name) => filter[name] !== undefined));
}

/** The last request that may be looked at; undefined where there are not that many. Read from the index alone. */
async function edgeOf(store: Store, { order, after, ...search }: RequestSearch): Promise<RequestPosition | undefined> {
  const direction = directionOf(order);
  const row = await from(among(store, search), direction, after)
    .select(['started_at', 'id'])
    .orderBy('started_at', direction)
    .orderBy('id', direction)
    .offset((search.examinedMax ?? examinedMax) - 1)
    .limit(1)
    .executeTakeFirst();
  return row && { startedAt: row.started_at, id: row.id };
}

/** The requests of the one index that is used: what else is asked for is looked up in each of them. */
function among(store: Store, filter: Omit<RequestFilter, 'limit'>): Requests {
  const { since, until } = filter;
  const span = { since, until, limit: 0 };
  const columns = indexFor(filter);
  if (columns) return matching(store, { ...span, ...Object.fromEntries(columns.map((name) => [name, filter[name]])) });
  if (filter.errorsOnly || filter.errorCase !== undefined) return matching(store, { ...span, errorsOnly: true });
  const isRefusal = (filter.status ?? 0) >= 400 || (filter.statusClass ?? 0) >= 4;
  const query = matching(store, span);
  return isRefusal ? query.where('status', '>=', sql.lit(400)) : query;
}

/** What comes behind a position in this direction. */
function from(query: Requests, direction: Direction, after: RequestPosition | undefined): Requests {
  if (after === undefined) return query;
  const { startedAt, id } = after;
  return query.where((is) =>
    is(is.refTuple('started_at', 'id'), direction === 'desc' ? '<' : '>', is.tuple(startedAt, id)),
  );
}

/** Only what comes no later in this direction than the last that may be looked at. */
function upTo(query: Requests, direction: Direction, { startedAt, id }: RequestPosition): Requests {
  return query.where((is) =>
    is(is.refTuple('started_at', 'id'), direction === 'desc' ? '>=' : '<=', is.tuple(startedAt, id)),
  );
}

function positionOf(record: RequestRecord | undefined): RequestPosition | undefined {
  return record && { startedAt: record.startedAt, id: record.id };
}
