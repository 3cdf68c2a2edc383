import { type RawBuilder, sql } from 'kysely';
import { engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import { type Dimension, everyAccount, type SliceValue, sliceValue, storedValueOf } from './slice-dimensions.ts';
import { type SliceSums, sliceSums } from './usage-group.ts';
import type { ZoneOffset } from './time-zone.ts';
import { dayMs } from './constraint-days.ts';

/** Which hours are added up, and along which dimension they are sliced. */
export interface SliceQuery {
  /** All accounts together, if none is named. */
  readonly accountId?: string | undefined;
  readonly by: Dimension;
  /** Whole hours. */
  readonly from: number;
  readonly to: number;
}

/** Only some of the values, at least one. */
export interface ValuesQuery extends SliceQuery {
  readonly only: readonly SliceValue[];
}

export interface SliceLine {
  readonly value: SliceValue;
  readonly sums: SliceSums;
}

/** How hours are put together. */
export type SlicePoints =
  | { readonly interval: 'hour' }
  | { readonly interval: 'day'; readonly offsets: readonly ZoneOffset[] };

export interface SlicePoint extends SliceLine {
  /** The beginning of the hour, or the day's number since 1970 by the clocks of the zone. */
  readonly point: number;
}

/** The same for each point of time, in order. */
export async function slicePoints(
  store: Store,
  query: SliceQuery,
  points: SlicePoints,
): Promise<readonly SlicePoint[]> {
  const point = pointOf(points);
  const { rows } = await sql<SliceSumsRow & { readonly value: string; readonly point: string | number }>`
    select ${point} as point, value, ${sums} ${within(query)} group by ${point}, value
    order by 1, 2`.execute(store.db);
  return rows.map((row) => ({ point: Number(row.point), value: sliceValue(row.value), sums: sumsOf(row) }));
}

/** What is drawn of a line. */
export type DrawnSums = Pick<SliceSums, 'cost' | 'requests' | 'errors'>;

interface DrawnPoint {
  readonly point: number;
  readonly value: SliceValue;
  readonly sums: DrawnSums;
}

/** The same, with no more than is drawn: what is grouped costs by its width. */
export async function drawnPoints(
  store: Store,
  query: ValuesQuery,
  points: SlicePoints,
): Promise<readonly DrawnPoint[]> {
  const point = pointOf(points);
  const drawn = sql.join((['cost', 'requests', 'errors'] as const).map(summed));
  const { rows } = await sql<Record<keyof DrawnSums | 'value', string> & { readonly point: string | number }>`
    select ${point} as point, value, ${drawn} ${ofValues(store, query)} group by ${point}, value`.execute(store.db);
  return rows.map(({ point: at, value, cost, requests, errors }) => ({
    point: Number(at),
    value: sliceValue(value),
    sums: { cost: BigInt(cost), requests: Number(requests), errors: Number(errors) },
  }));
}

/** What comes first. */
export type SliceOrder = 'cost' | 'requests' | 'errors';

export interface SliceTable {
  /** The values that have most of something, then those with most requests. */
  readonly lines: readonly SliceLine[];
  /** All values together for each point of time, in order. */
  readonly totals: ReadonlyMap<number, SliceSums>;
}

export interface SliceTerms {
  readonly limit: number;
  readonly order: SliceOrder;
  readonly points: SlicePoints;
}

/**
 * Lines and totals, read in one statement: sums may grow at any time, and these agree with each other. Which values come
 * first is found out by what they are ordered by alone, and only those are added up. Totals are read along the dimension
 * with the fewest values, since along all of them they are the same.
 */
export async function sliceTable(
  store: Store,
  query: SliceQuery,
  { limit, order, points }: SliceTerms,
): Promise<SliceTable> {
  const point = pointOf(points);
  const best = sql`sum(${sql.ref(order)}) desc, sum(requests) desc, value`;
  const ranking = sql.join([...new Set([order, 'requests'])].map((name) => sql.ref(name)));
  const { rows } = await sql<SliceSumsRow & { readonly value: string | null; readonly point: string | number | null }>`
    with first_values as materialized (
      select value from (${withDays(query, ranking)}) as found group by value order by ${best} limit ${limit}
    )
    select * from (
      select cast(null as bigint) as point, value, ${sums} from (${withDays(query, columns)}) as found
      where value in (select value from first_values) group by value order by ${best}
    ) as lines
    union all
    select * from (
      select ${point} as point, cast(null as text) as value, ${sums} ${within({ ...query, by: 'status' })} group by ${point} order by 1
    ) as totals`.execute(store.db);
  return {
    lines: rows.flatMap((row) => (row.value === null ? [] : [{ value: sliceValue(row.value), sums: sumsOf(row) }])),
    totals: new Map(rows.flatMap((row) => (row.point === null ? [] : [[Number(row.point), sumsOf(row)] as const]))),
  };
}

/** Some values over all of the time, in no order; those without a request are not mentioned. */
export async function sliceLines(store: Store, query: ValuesQuery): Promise<readonly SliceLine[]> {
  const values = sql.join(query.only.map((value) => sql`cast(${storedValueOf(value)} as text)`));
  const { rows } = await sql<SliceSumsRow & { readonly value: string }>`
    select value, ${sums} from (${withDays(query, columns)}) as found where value in (${values}) group by value`.execute(
    store.db,
  );
  return rows.map((row) => ({ value: sliceValue(row.value), sums: sumsOf(row) }));
}

/** Nothing, to add to. */
export function noSums(): SliceSums {
  return {
    ...Object.fromEntries(sliceSums.map((name) => [name, 0])),
    cost: 0n,
    provider_cost: 0n,
    costed: 0n,
  } as SliceSums;
}

function within({ accountId = everyAccount, by, from, to }: SliceQuery): RawBuilder<unknown> {
  return sql`from usage_slices
    where account_id = ${accountId} and dimension = ${by} and hour >= ${from} and hour < ${to}`;
}

/** Hours of some values: among all values of these hours they would be few. */
function ofValues(store: Store, query: ValuesQuery): RawBuilder<unknown> {
  const values = query.only.map((value) => sql`cast(${storedValueOf(value)} as text)`);
  if (engineOf(store.db) === 'postgres') return sql`${within(query)} and value in (${sql.join(values)})`;
  return inEachHour(query, values);
}

/**
 * The embedded store has sums in the order of their key, and finds each hour's in turn: which hours there are it reads from
 * those of the status. The order of a CROSS JOIN is one that it keeps to, whatever it guesses.
 */
function inEachHour(query: SliceQuery, values: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const { accountId = everyAccount, by } = query;
  const wanted = sql.join(
    values.map((value) => sql`select ${value} as wanted`),
    sql` union all `,
  );
  return sql`from (select distinct hour as at ${within({ ...query, by: 'status' })}) as hours
    cross join (${wanted}) as wanted_values cross join usage_slices
    where account_id = ${accountId} and dimension = ${by} and hour = at and value = wanted`;
}

/** Some columns of every sum. Whole days of UTC are read as such, and hours only before and behind them. */
function withDays(query: SliceQuery, wanted: RawBuilder<unknown>): RawBuilder<unknown> {
  const { accountId = everyAccount, by, from, to } = query;
  const [first, last] = [Math.ceil(from / dayMs) * dayMs, Math.floor(to / dayMs) * dayMs];
  if (first >= last) return sql`select value, ${wanted} ${within(query)}`;
  return sql`
    select value, ${wanted} ${within({ ...query, to: first })}
    union all
    select value, ${wanted} from usage_slice_days
      where account_id = ${accountId} and dimension = ${by} and day >= ${first} and day < ${last}
    union all
    select value, ${wanted} ${within({ ...query, from: last })}`;
}

const columns = sql.join(sliceSums.map((name) => sql.ref(name)));

/**
 * Written into the statement: the engines recognise what is grouped by only if it is the same text. An hour belongs to the
 * day in which it begins, which matters where clocks are not whole hours apart from UTC.
 */
function pointOf(points: SlicePoints): RawBuilder<number> {
  if (points.interval === 'hour') return sql`hour`;
  const [first, ...later] = points.offsets;
  const cases = later
    .toReversed()
    .map((offset) => sql`when hour >= ${sql.lit(offset.from)} then ${sql.lit(offset.offsetMs)}`);
  const oldest = sql.lit(first?.offsetMs ?? 0);
  const offsetMs = cases.length === 0 ? oldest : sql`(case ${sql.join(cases, sql` `)} else ${oldest} end)`;
  return sql`(hour + ${offsetMs}) / 86400000`;
}

/** As text, because a sum may be more than a number holds. */
function summed(name: (typeof sliceSums)[number]): RawBuilder<string> {
  return sql`cast(coalesce(sum(${sql.ref(name)}), 0) as text) as ${sql.ref(name)}`;
}

const sums = sql.join(sliceSums.map(summed));

type SliceSumsRow = Readonly<Record<(typeof sliceSums)[number], string>>;

function sumsOf(row: SliceSumsRow): SliceSums {
  const counts = Object.fromEntries(sliceSums.map((name) => [name, Number(row[name])]));
  const money = {
    cost: BigInt(row.cost),
    provider_cost: BigInt(row.provider_cost),
    costed: BigInt(row.costed),
  };
  return { ...counts, ...money } as SliceSums;
}
