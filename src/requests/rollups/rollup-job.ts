import { dayOf } from '../../core/time/calendar-day.ts';
import { type CounterTable, counterTable } from '../../store/counters.ts';
import {
  type Job,
  type JobStatement,
  type Row,
  type SqlStatement,
  statementsFor,
  type Steps,
} from '../../store/job.ts';
import { takingLock } from '../../store/lock-statement.ts';
import { deletion, insertion } from '../../store/row-statements.ts';
import type { RequestRow } from '../request-record.ts';
import {
  dayValuesFactor,
  type Dimension,
  dimensions,
  dimensionTerms,
  everyAccount,
  storedOther,
  storedValue,
} from './rollup-dimensions.ts';
import { decodeGroups, encodeGroups, groupsOf, type UsageGroup } from './usage-group.ts';
import { type RollupSums, rollupSums } from './usage-sums.ts';

/** One row for all new requests. It stays until the rollup worker adds it to the sums. */
export function insertDelta(rows: readonly RequestRow[]) {
  const [first] = rows;
  return first ? statementsFor(insertDeltas, [[first.id, encodeGroups(groupsOf(rows))]]) : [];
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
      added.push(...grain.counters.add(folded(rollups, yield* fullStarts(rollups, grain), grain)));
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
  readonly dimension: Dimension;
  readonly hour: number;
  readonly day: number;
  readonly value: string;
}

/** A table of rollups, and the column with the start of the time span that each row covers. */
interface Grain {
  readonly column: 'hour' | 'day';
  readonly counters: CounterTable<Rollup>;
  readonly valuesMax: (dimension: Dimension) => number;
  /** Statements that count and list the values present. */
  readonly counts: SqlStatement;
  readonly values: SqlStatement;
}

/** Hours, which make up the days of every time zone, and UTC days, so that long spans are read in few rows. */
const grains: readonly Grain[] = [
  {
    ...presence('usage_rollups', 'hour'),
    counters: counterTable(
      'usage_rollups',
      { account_id: 'text', dimension: 'text', hour: 'bigint', value: 'text' },
      rollupSums,
    ),
    valuesMax: (dimension) => dimensionTerms[dimension].valuesMax,
  },
  {
    ...presence('usage_rollup_days', 'day'),
    counters: counterTable(
      'usage_rollup_days',
      { account_id: 'text', dimension: 'text', day: 'bigint', value: 'text' },
      rollupSums,
    ),
    valuesMax: (dimension) => dayValuesFactor * dimensionTerms[dimension].valuesMax,
  },
];

function presence(table: string, column: 'hour' | 'day'): Pick<Grain, 'column' | 'counts' | 'values'> {
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
  };
}

function rollupsOf(group: UsageGroup): readonly Rollup[] {
  const day = dayOf(group.hour);
  return dimensions.flatMap((dimension) => {
    const { valueOf, ofAccount, ofAll } = dimensionTerms[dimension];
    const owners = [...(ofAccount ? [group.account_id] : []), ...(ofAll ? [everyAccount] : [])];
    const value = storedValue(valueOf(group));
    return owners.map((account_id) => ({ ...group, account_id, dimension, day, value }));
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
