import { dayOf } from '../../../core/time/calendar-day.ts';
import { type CounterTable, counterTable } from '../../../platform/store/counters.ts';
import {
  type Job,
  type JobStatement,
  type Row,
  type SqlStatement,
  statementsFor,
  type Steps,
} from '../../../platform/store/job.ts';
import { takingLock } from '../../../platform/store/lock-statement.ts';
import { deletion, insertion } from '../../../platform/store/row-statements.ts';
import type { RequestRecord, RequestRow } from '../request-record.ts';
import {
  dayValuesFactor,
  type Dimension,
  dimensions,
  dimensionTerms,
  everyAccount,
  routeDimension,
  routesMax,
  routeValue,
  storedOther,
  storedValue,
} from './rollup-dimensions.ts';
import { compacted } from './histograms.ts';
import { decodeGroups, encodeGroups, groupsOf, type UsageGroup } from './usage-group.ts';
import { noSums, type RollupSums, rollupSums } from './usage-sums.ts';

type RollupDimension = Dimension | typeof routeDimension;

/** One row for all new requests. It stays until the rollup worker adds it to the sums. */
export function insertDelta(rows: readonly RequestRow[], records: readonly RequestRecord[]) {
  const [first] = rows;
  return first ? statementsFor(insertDeltas, [[first.id, encodeGroups(groupsOf(rows, records))]]) : [];
}

const insertDeltas = insertion('usage_deltas', { id: 'text', body: 'text' });

/** Adds and deletes up to this many deltas under a lock: counted once. Returns whether there may be more. */
export const addRollups: Job<number, boolean> = {
  module: import.meta.url,
  name: 'addRollups',
  *steps(limit): Steps<boolean> {
    const [, deltas = []] = yield [
      { statement: takingLock, parameter: 'usage rollups' },
      { statement: pendingDeltas, parameter: String(limit) },
    ];
    const groups = deltas.flatMap(({ body }) => decodeGroups(String(body)));
    const added: JobStatement[] = [];
    let rollups: readonly Rollup[] = groups.flatMap(rollupsOf);
    for (const grain of grains) {
      // Days are added up from hours, because there are fewer hours than groups.
      rollups = grain.counters.sum(rollups);
      const rows = grain.counters.sum(folded(rollups, yield* fullStarts(rollups, grain), grain));
      added.push(...grain.counters.add(yield* withStoredHistograms(rows, grain)));
    }
    const last = [
      ...added,
      ...statementsFor(
        deleteDeltas,
        deltas.map(({ id = null }) => [id]),
      ),
    ];
    return { last, result: deltas.length === limit };
  },
};

const pendingDeltas: SqlStatement = {
  name: 'usage deltas',
  sqlite: 'select id, body from usage_deltas limit cast(?1 as integer)',
  postgres: 'select id, body from usage_deltas limit cast($1 as integer)',
};

const deleteDeltas = deletion('usage_deltas', { id: 'text' });

/** Sums of one value of one dimension in one hour or day, of one account or of all. */
interface Rollup extends RollupSums {
  readonly account_id: string;
  readonly dimension: RollupDimension;
  readonly hour: number;
  readonly day: number;
  readonly value: string;
}

/** A table of rollups, and the column with the start of the time span that each row covers. */
interface Grain {
  readonly column: 'hour' | 'day';
  readonly counters: CounterTable<Rollup>;
  readonly valuesMax: (dimension: RollupDimension) => number;
  /** Statements that count and list the values present, and read the histograms of given values. */
  readonly counts: SqlStatement;
  readonly values: SqlStatement;
  readonly histograms: SqlStatement;
}

/** Hours, which make up the days of every time zone, and UTC days, so that long spans are read in few rows. */
const grains: readonly Grain[] = [
  {
    ...presence('usage_rollups', 'hour'),
    counters: counterTable(
      'usage_rollups',
      { account_id: 'text', dimension: 'text', hour: 'bigint', value: 'text' },
      rollupSums,
      ['histograms'],
    ),
    valuesMax: hourValuesMax,
  },
  {
    ...presence('usage_rollup_days', 'day'),
    counters: counterTable(
      'usage_rollup_days',
      { account_id: 'text', dimension: 'text', day: 'bigint', value: 'text' },
      rollupSums,
      ['histograms'],
    ),
    valuesMax: (dimension) => dayValuesFactor * hourValuesMax(dimension),
  },
];

function hourValuesMax(dimension: RollupDimension): number {
  return dimension === routeDimension ? routesMax : dimensionTerms[dimension].valuesMax;
}

function presence(table: string, column: 'hour' | 'day'): Pick<Grain, 'column' | 'counts' | 'values' | 'histograms'> {
  const same = (account: string, dimension: string, start: string) =>
    `on ${table}.account_id = ${account} and ${table}.dimension = ${dimension} and ${table}.${column} = ${start}`;
  const sqlite = `from json_each(?1) as wanted cross join ${table}
    ${same("wanted.value ->> '$[0]'", "wanted.value ->> '$[1]'", "wanted.value ->> '$[2]'")}`;
  const postgres = `from jsonb_array_elements(cast($1 as jsonb)) as wanted (value) join ${table}
    ${same('wanted.value ->> 0', 'wanted.value ->> 1', 'cast(wanted.value ->> 2 as bigint)')}`;
  const counted = `select account_id, dimension, ${column} as start, count(*) as "values"`;
  const groups = `group by account_id, dimension, ${column}`;
  const there = `select account_id, dimension, ${column} as start, ${table}.value as value`;
  return {
    column,
    counts: {
      name: `${table} counts`,
      sqlite: `${counted} ${sqlite} ${groups}`,
      postgres: `${counted} ${postgres} ${groups}`,
    },
    values: { name: `${table} values`, sqlite: `${there} ${sqlite}`, postgres: `${there} ${postgres}` },
    histograms: {
      name: `${table} histograms`,
      sqlite: `${there}, histograms ${sqlite} and ${table}.value = wanted.value ->> '$[3]'`,
      postgres: `${there}, histograms ${postgres} and ${table}.value = wanted.value ->> 3`,
    },
  };
}

function rollupsOf(group: UsageGroup): readonly Rollup[] {
  const day = dayOf(group.hour);
  return [...routeOf(group, day), ...alongDimensions(group, day)];
}

function routeOf({ upstream, upstream_model: model, ...group }: UsageGroup, day: number): readonly Rollup[] {
  if (upstream === null || model === null || (group.calls === 0 && group.call_histograms === '')) return [];
  const { hour, calls, failed_calls, call_histograms: histograms } = group;
  const value = storedValue(routeValue(upstream, model));
  const name = { account_id: everyAccount, dimension: routeDimension, hour, day, value } as const;
  return [{ ...noSums(), ...name, calls, failed_calls, histograms }];
}

function alongDimensions(group: UsageGroup, day: number): readonly Rollup[] {
  return dimensions.flatMap((dimension) => {
    const { valuesOf, ofAccount, ofAll } = dimensionTerms[dimension];
    const owners = [...(ofAccount ? [group.account_id] : []), ...(ofAll ? [everyAccount] : [])];
    return valuesOf(group).flatMap((value) =>
      owners.map((account_id) => ({ ...group, account_id, dimension, day, value: storedValue(value) })),
    );
  });
}

function startName(rollup: Rollup, { column }: Grain): string {
  return `${rollup.account_id}\0${rollup.dimension}\0${rollup[column]}`;
}

/** The values present, but only for hours or days that would exceed their limit with the new values. */
function* fullStarts(
  rollups: readonly Rollup[],
  grain: Grain,
): Generator<readonly JobStatement[], ReadonlyMap<string, Set<string>>, readonly (readonly Row[])[]> {
  const starts = Map.groupBy(rollups, (rollup) => startName(rollup, grain));
  if (starts.size === 0) return new Map();
  const [rows = []] = yield [lookup(grain.counts, starts, grain)];
  const known = new Map(rows.map((row) => [rowStart(row), Number(row['values'])]));
  for (const [name, fresh] of starts) {
    const isTight = fresh.some(({ dimension }) => (known.get(name) ?? 0) + fresh.length > grain.valuesMax(dimension));
    if (!isTight) starts.delete(name);
  }
  const values = new Map(Array.from(starts.keys(), (name) => [name, new Set<string>()]));
  if (values.size === 0) return values;
  const [present = []] = yield [lookup(grain.values, starts, grain)];
  for (const row of present) values.get(rowStart(row))?.add(String(row['value']));
  return values;
}

function rowStart(row: Row): string {
  return `${row['account_id']}\0${row['dimension']}\0${row['start']}`;
}

function lookup(
  statement: SqlStatement,
  starts: ReadonlyMap<string, readonly Rollup[]>,
  { column }: Grain,
): JobStatement {
  const names = Array.from(starts.values(), ([first]) => first && [first.account_id, first.dimension, first[column]]);
  return { statement, parameter: JSON.stringify(names) };
}

/** Rows to write: histograms are read and added here, because a store cannot add them up. The lock keeps others out. */
function* withStoredHistograms(
  rollups: readonly Rollup[],
  { column, histograms }: Grain,
): Generator<readonly JobStatement[], readonly Rollup[], readonly (readonly Row[])[]> {
  const measured = rollups.filter((rollup) => rollup.histograms !== '');
  if (measured.length === 0) return rollups;
  const names = measured.map((rollup) => [rollup.account_id, rollup.dimension, rollup[column], rollup.value]);
  const [rows = []] = yield [{ statement: histograms, parameter: JSON.stringify(names) }];
  const stored = new Map(rows.map((row) => [`${rowStart(row)}\0${row['value']}`, String(row['histograms'])]));
  return rollups.map((rollup) => {
    const { account_id: account, dimension, value } = rollup;
    const known = stored.get(`${account}\0${dimension}\0${rollup[column]}\0${value}`) ?? '';
    return rollup.histograms === '' ? rollup : { ...rollup, histograms: compacted(known + rollup.histograms) };
  });
}

/** Sums values beyond the limit under one value. New values with the most requests keep rows of their own. */
function folded(rollups: readonly Rollup[], full: ReadonlyMap<string, Set<string>>, grain: Grain): readonly Rollup[] {
  return rollups
    .toSorted((one, other) => other.requests - one.requests)
    .map((rollup) => {
      const present = full.get(startName(rollup, grain));
      const isApart = !present || present.has(rollup.value) || present.size < grain.valuesMax(rollup.dimension) - 1;
      if (isApart) present?.add(rollup.value);
      return isApart ? rollup : { ...rollup, value: storedOther };
    });
}
