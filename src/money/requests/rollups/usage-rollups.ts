import { type RawBuilder, sql } from 'kysely';
import { dayMs } from '../../../core/time/calendar-day.ts';
import { sumColumns } from '../../../platform/store/counter-sums.ts';
import { engineOf } from '../../../platform/store/engine.ts';
import type { Store } from '../../../platform/store/store.ts';
import {
  type Dimension,
  everyAccount,
  isPerAccount,
  type RollupValue,
  rollupValue,
  storedValue,
  storedValueOf,
} from './rollup-dimensions.ts';
import type { ZoneOffset } from '../time-zone.ts';
import { noSums, readSums, type RollupSums, rollupSums } from './usage-sums.ts';

/** A store, or a transaction. */
type StoreReader = Pick<Store, 'db'>;

export interface SpanQuery {
  /** All accounts together, if absent. */
  readonly accountId?: string | undefined;
  /** Start and end of the span, whole hours. */
  readonly from: number;
  readonly to: number;
}

/** The hours to add up, and the dimension to group them by. */
export interface RollupQuery extends SpanQuery {
  readonly by: Dimension;
}

/** Only these values, at least one. */
export interface ValuesQuery extends RollupQuery {
  readonly only: readonly RollupValue[];
}

export interface RollupLine {
  readonly value: RollupValue;
  readonly sums: RollupSums;
}

export type RollupPoints =
  | { readonly interval: 'hour' }
  | { readonly interval: 'day'; readonly offsets: readonly ZoneOffset[] };

export interface RollupPoint extends RollupLine {
  /** Start of the hour, or the number of days since 1970 in the time zone. */
  readonly point: number;
}

/** Sums of each value for each point in time, in order. */
export async function rollupPoints(
  store: StoreReader,
  query: RollupQuery,
  points: RollupPoints,
): Promise<readonly RollupPoint[]> {
  const point = pointOf(points);
  const { rows } = await sql<RollupSumsRow & { readonly value: string; readonly point: string | number }>`
    select ${point} as point, ${valueIn(query)} as value, ${sums} ${within(query)} group by ${point}, ${valueIn(query)}
    order by 1, 2`.execute(store.db);
  return rows.map((row) => ({ point: Number(row.point), value: rollupValue(row.value), sums: sumsOf(row) }));
}

export type DrawnSums = Pick<RollupSums, 'cost' | 'requests' | 'errors'>;

/** Like `rollupPoints`, with only the charted sums: the cost of grouping depends on the row width. */
export async function drawnPoints(store: StoreReader, query: ValuesQuery, points: RollupPoints) {
  const point = pointOf(points);
  const drawn = sql.join(sumColumns(['cost', 'requests', 'errors']));
  const { rows } = await sql<Record<keyof DrawnSums | 'value', string> & { readonly point: string | number }>`
    select ${point} as point, ${valueIn(query)} as value, ${drawn} ${ofValues(store, query)}
    group by ${point}, ${valueIn(query)}`.execute(store.db);
  return rows.map(({ point: at, value, cost, requests, errors }) => ({
    point: Number(at),
    value: rollupValue(value),
    sums: { cost: BigInt(cost), requests: Number(requests), errors: Number(errors) } satisfies DrawnSums,
  }));
}

/** Sort order of the values, descending. */
export type RollupOrder = 'cost' | 'requests' | 'errors';

export interface RollupTable {
  /** The first values in the given order, then by requests. */
  readonly lines: readonly RollupLine[];
  /** Totals of all values for each point in time, in order. */
  readonly totals: ReadonlyMap<number, RollupSums>;
}

export interface RollupTerms {
  readonly limit: number;
  readonly order: RollupOrder;
  readonly points: RollupPoints;
}

/** With a higher limit, most values are summed anyway, so a ranking before them costs more than it saves. */
const rankedMax = 500;

/**
 * Reads lines and totals in one statement, so that they agree even while sums grow. The ranking reads only the sort
 * columns; then only the first values are summed. Totals are read along `status`, the dimension with the fewest values,
 * because they are the same along every dimension.
 */
export async function rollupTable(
  store: StoreReader,
  query: RollupQuery,
  { limit, order, points }: RollupTerms,
): Promise<RollupTable> {
  const point = pointOf(points);
  const best = sql`sum(${sql.ref(order)}) desc, sum(requests) desc, value`;
  const ranking = sql.join([...new Set([order, 'requests'])].map((name) => sql.ref(name)));
  const ofFirst = limit <= rankedMax ? sql`where value in (select value from first_values)` : sql``;
  const { rows } = await sql<RollupSumsRow & { readonly value: string | null; readonly point: string | number | null }>`
    with first_values as materialized (
      select value from (${withDays(query, ranking)}) as found group by value order by ${best} limit ${limit}
    )
    select * from (
      select cast(null as bigint) as point, value, ${sums} from (${withDays(query, columns)}) as found
      ${ofFirst} group by value order by ${best} limit ${limit}
    ) as lines
    union all
    select * from (
      select ${point} as point, cast(null as text) as value, ${sums} ${within({ ...query, by: 'status' })} group by ${point} order by 1
    ) as totals`.execute(store.db);
  return {
    lines: rows.flatMap((row) => (row.value === null ? [] : [{ value: rollupValue(row.value), sums: sumsOf(row) }])),
    totals: new Map(rows.flatMap((row) => (row.point === null ? [] : [[Number(row.point), sumsOf(row)] as const]))),
  };
}

/** Totals over the whole span, by default along the dimension with the fewest values. A request counts for each tag. */
export async function rollupTotals(
  store: StoreReader,
  query: SpanQuery & { readonly by?: Dimension },
): Promise<RollupSums> {
  const { rows } = await sql<RollupSumsRow>`
    select ${sums} from (${withDays({ by: 'status', ...query }, columns)}) as found`.execute(store.db);
  return rows[0] ? sumsOf(rows[0]) : noSums();
}

/** The first hour with usage of any account; `undefined` without usage. */
export async function firstUsage(store: StoreReader): Promise<number | undefined> {
  const { rows } = await sql<{ readonly hour: string | number | null }>`
    select min(hour) as hour ${within({ by: 'status', from: 0, to: Number.MAX_SAFE_INTEGER })}`.execute(store.db);
  const hour = rows[0]?.hour ?? undefined;
  return hour === undefined ? undefined : Number(hour);
}

/**
 * Sums of some values over the whole span, unordered; values without a request are left out. Values of several accounts
 * name their account.
 */
export async function rollupLines(store: StoreReader, query: ValuesQuery): Promise<readonly RollupLine[]> {
  if (query.only.length === 0) return [];
  const values = sql.join(query.only.map((value) => sql`cast(${storedValueOf(value)} as text)`));
  const { rows } = await sql<RollupSumsRow & { readonly value: string }>`
    select value, ${sums} from (${withDays(query, columns)}) as found where value in (${values}) group by value`.execute(
    store.db,
  );
  return rows.map((row) => ({ value: rollupValue(row.value), sums: sumsOf(row) }));
}

function within(query: RollupQuery & Partial<ValuesQuery>): RawBuilder<unknown> {
  const { by, from, to } = query;
  return sql`from usage_rollups
    where ${ownersIn(query)} and dimension = ${by} and hour >= ${from} and hour < ${to}`;
}

/** The key of the tables begins with the account, so each account is looked up. */
function ownersIn({ only, ...query }: RollupQuery & Partial<ValuesQuery>): RawBuilder<unknown> {
  if (!isPerAccount(query)) return sql`account_id = ${query.accountId ?? everyAccount}`;
  if (only === undefined) return sql`account_id in (select id from accounts)`;
  const owners = only.flatMap((value) => (value.kind === 'value' ? [value.accountId ?? everyAccount] : []));
  return sql`account_id in (${sql.join([...new Set(owners)])})`;
}

/** The value with its account, if the query returns a line for each account. */
function valueIn(query: RollupQuery): RawBuilder<unknown> {
  return isPerAccount(query) ? sql`case when value in ('-', '+') then value else account_id || value end` : sql`value`;
}

/** Hours of some values, which are few among all values of these hours. */
function ofValues(store: StoreReader, query: ValuesQuery): RawBuilder<unknown> {
  const values = query.only.map((value) => sql`cast(${storedValueOf(value)} as text)`);
  if (isPerAccount(query)) return ofAccountValues(query);
  if (engineOf(store.db) === 'postgres') return sql`${within(query)} and value in (${sql.join(values)})`;
  return inEachHour(query, values);
}

/** Values of several accounts. Each account is looked up. */
function ofAccountValues(query: ValuesQuery): RawBuilder<unknown> {
  const pairs = query.only.flatMap((value) =>
    value.kind === 'value' && value.accountId !== undefined
      ? [sql`(account_id = ${value.accountId} and value = ${storedValue(value.value)})`]
      : [],
  );
  const { by, from, to } = query;
  const named = pairs.length === 0 ? sql`false` : sql.join(pairs, sql` or `);
  return sql`from usage_rollups where dimension = ${by} and hour >= ${from} and hour < ${to} and (${named})`;
}

/** SQLite has the sums in key order: look up each hour, in the status' sums. A CROSS JOIN keeps its order. */
function inEachHour(query: RollupQuery, values: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const { accountId = everyAccount, by } = query;
  const wanted = sql.join(
    values.map((value) => sql`select ${value} as wanted`),
    sql` union all `,
  );
  return sql`from (select distinct hour as at ${within({ ...query, by: 'status' })}) as hours
    cross join (${wanted}) as wanted_values cross join usage_rollups
    where account_id = ${accountId} and dimension = ${by} and hour = at and value = wanted`;
}

/** Reads whole UTC days from the daily sums, and only the rest before and after them from the hourly sums. */
function withDays(query: RollupQuery & Partial<ValuesQuery>, wanted: RawBuilder<unknown>): RawBuilder<unknown> {
  const { by, from, to } = query;
  const value = sql`${valueIn(query)} as value`;
  const [first, last] = [Math.ceil(from / dayMs) * dayMs, Math.floor(to / dayMs) * dayMs];
  if (first >= last) return sql`select ${value}, ${wanted} ${within(query)}`;
  return sql`
    select ${value}, ${wanted} ${within({ ...query, to: first })}
    union all
    select ${value}, ${wanted} from usage_rollup_days
      where ${ownersIn(query)} and dimension = ${by} and day >= ${first} and day < ${last}
    union all
    select ${value}, ${wanted} ${within({ ...query, from: last })}`;
}

const columns = sql.join([...rollupSums, 'histograms'].map((name) => sql.ref(name)));

/**
 * The offset is a literal, because the engines recognise a GROUP BY expression only if its text is the same. An hour
 * belongs to the day in which it begins, which matters for zones with offsets that are not whole hours.
 */
function pointOf(points: RollupPoints): RawBuilder<number> {
  if (points.interval === 'hour') return sql`hour`;
  const [first, ...later] = points.offsets;
  const cases = later
    .toReversed()
    .map((offset) => sql`when hour >= ${sql.lit(offset.from)} then ${sql.lit(offset.offsetMs)}`);
  const oldest = sql.lit(first?.offsetMs ?? 0);
  const offsetMs = cases.length === 0 ? oldest : sql`(case ${sql.join(cases, sql` `)} else ${oldest} end)`;
  return sql`(hour + ${offsetMs}) / 86400000`;
}

const sums = sql.join([...sumColumns(rollupSums), sql`coalesce(string_agg(histograms, ''), '') as histograms`]);

type RollupSumsRow = Readonly<Record<(typeof rollupSums)[number] | 'histograms', string>>;

function sumsOf(row: RollupSumsRow): RollupSums {
  return { ...readSums(rollupSums, (name) => row[name]), histograms: row.histograms };
}
