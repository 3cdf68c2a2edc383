import {
  type JobStatement,
  statementsFor,
  type FieldValue,
  type Job,
  type Row,
  type SqlStatement,
  type Steps,
  type WritingStatement,
} from '../store/job.ts';
import { addition, deletion, insertion } from '../store/row-statements.ts';
import { takingLock } from '../store/lock-statement.ts';
import type { RequestRow } from './request-record.ts';
import {
  dayValuesFactor,
  type Dimension,
  dimensions,
  dimensionTerms,
  everyAccount,
  storedOther,
  storedValue,
} from './rollup-dimensions.ts';
import { dayMs } from './constraint-days.ts';
import { hourMs } from './usage-hours.ts';
import {
  addSums,
  decodeGroups,
  encodeGroups,
  groupsOf,
  type RollupSums,
  rollupSums,
  type UsageGroup,
} from './usage-group.ts';

/**
 * Writes the rollup delta of new requests: one row for all of them. It stays until the rollup worker adds it to the
 * sums.
 */
export function insertDelta(rows: readonly RequestRow[]) {
  const [first] = rows;
  return first ? statementsFor(insertDeltas, [[first.id, encodeGroups(groupsOf(rows))]]) : [];
}

const insertDeltas = insertion('usage_deltas', { id: 'text', body: 'text' });

/**
 * Adds up to this many rollup deltas to the rollups. The same commit deletes them, and a lock allows one worker at a
 * time, so that everything is counted once. Returns whether there may be more.
 */
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
    const hours = rollupsOf(groups);
    for (const grain of grains) {
      const rollups = rollupsIn(grain, hours);
      const full = yield* fullStarts(rollups, grain);
      added.push(...statementsFor(grain.addition, Array.from(folded(rollups, full, grain), fieldsOf)));
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
interface Rollup {
  readonly account: string;
  readonly dimension: Dimension;
  readonly start: number;
  readonly value: string;
  readonly sums: RollupSums;
}

/** A table of rollups, and the time span that each row covers. */
interface Grain {
  readonly lengthMs: number;
  readonly valuesMax: (dimension: Dimension) => number;
  readonly addition: WritingStatement;
  /** Statements that count and list the values present. */
  readonly counts: SqlStatement;
  readonly values: SqlStatement;
}

/** Hours, which make up the days of every time zone, and UTC days, so that long spans are read in few rows. */
const grains: readonly Grain[] = [
  grain('usage_rollups', { column: 'hour', lengthMs: hourMs, factor: 1 }),
  grain('usage_rollup_days', { column: 'day', lengthMs: dayMs, factor: dayValuesFactor }),
];

function grain(
  table: string,
  { column, lengthMs, factor }: { readonly column: string; readonly lengthMs: number; readonly factor: number },
): Grain {
  const same = (account: string, dimension: string, start: string) =>
    `on ${table}.account_id = ${account} and ${table}.dimension = ${dimension} and ${table}.${column} = ${start}`;
  const sqlite = `from json_each(?1) as wanted cross join ${table}
    ${same("wanted.value ->> '$[0]'", "wanted.value ->> '$[1]'", "wanted.value ->> '$[2]'")}`;
  const postgres = `from jsonb_array_elements(cast($1 as jsonb)) as wanted (value) join ${table}
    ${same('wanted.value ->> 0', 'wanted.value ->> 1', 'cast(wanted.value ->> 2 as bigint)')}`;
  const counted = `select account_id, dimension, ${column} as start, count(*) as "values"`;
  const groups = `group by account_id, dimension, ${column}`;
  const there = `select account_id, dimension, ${column} as start, ${table}.value as value`;
  const keys = { account_id: 'text', dimension: 'text', [column]: 'bigint', value: 'text' } as const;
  return {
    lengthMs,
    valuesMax: (dimension) => factor * dimensionTerms[dimension].valuesMax,
    addition: addition(table, keys, rollupSums),
    counts: {
      name: `${table} counts`,
      sqlite: `${counted} ${sqlite} ${groups}`,
      postgres: `${counted} ${postgres} ${groups}`,
    },
    values: { name: `${table} values`, sqlite: `${there} ${sqlite}`, postgres: `${there} ${postgres}` },
  };
}

/** Converts groups to rollups per hour. */
function rollupsOf(groups: readonly UsageGroup[]): readonly Rollup[] {
  const rollups = new Map<string, Rollup>();
  for (const { name, sums } of groups) {
    const start = name.hour;
    for (const dimension of dimensions) {
      const { valueOf, ofAccount, ofAll } = dimensionTerms[dimension];
      const value = storedValue(valueOf(name));
      const owners = [ofAccount ? name.account_id : undefined, ofAll ? everyAccount : undefined];
      for (const account of owners) {
        if (account !== undefined) addRollup(rollups, { account, dimension, start, value, sums });
      }
    }
  }
  return [...rollups.values()];
}

/** Days are added up from hours, because there are fewer hours than groups. */
function rollupsIn({ lengthMs }: Grain, hours: readonly Rollup[]): readonly Rollup[] {
  if (lengthMs === hourMs) return hours;
  const rollups = new Map<string, Rollup>();
  for (const hour of hours) addRollup(rollups, { ...hour, start: hour.start - (hour.start % lengthMs) });
  return [...rollups.values()];
}

function addRollup(rollups: Map<string, Rollup>, rollup: Rollup): void {
  const name = `${startName(rollup)}\0${rollup.value}`;
  const known = rollups.get(name);
  if (known) addSums(known.sums, rollup.sums);
  else rollups.set(name, { ...rollup, sums: { ...rollup.sums } });
}

function startName({ account, dimension, start }: Pick<Rollup, 'account' | 'dimension' | 'start'>): string {
  return `${account}\0${dimension}\0${start}`;
}

/** The values present, but only for hours or days that would exceed their limit with the new values. */
function* fullStarts(
  rollups: readonly Rollup[],
  { counts, values: valuesPresent, valuesMax }: Grain,
): Generator<readonly JobStatement[], Map<string, Set<string>>, readonly (readonly Row[])[]> {
  const fresh = new Map<string, { readonly first: Rollup; count: number }>();
  for (const rollup of rollups) {
    const known = fresh.get(startName(rollup));
    if (known) known.count += 1;
    else fresh.set(startName(rollup), { first: rollup, count: 1 });
  }
  if (fresh.size === 0) return new Map();
  const [rows = []] = yield [
    lookup(
      counts,
      Array.from(fresh.values(), ({ first }) => first),
    ),
  ];
  const known = new Map(rows.map((row) => [rowStart(row), Number(row['values'])]));
  const tight = [...fresh.values()].flatMap(({ first, count }) =>
    (known.get(startName(first)) ?? 0) + count > valuesMax(first.dimension) ? [first] : [],
  );
  const values = new Map(tight.map((first) => [startName(first), new Set<string>()]));
  if (tight.length === 0) return values;
  const [present = []] = yield [lookup(valuesPresent, tight)];
  for (const row of present) values.get(rowStart(row))?.add(String(row['value']));
  return values;
}

function rowStart(row: Row): string {
  return `${row['account_id']}\0${row['dimension']}\0${row['start']}`;
}

function lookup(statement: SqlStatement, starts: readonly Rollup[]): JobStatement {
  return {
    statement,
    parameter: JSON.stringify(starts.map(({ account, dimension, start }) => [account, dimension, start])),
  };
}

/**
 * Sums values beyond the limit under one common value. Among new values, those with the most requests keep rows of
 * their own.
 */
function folded(rollups: readonly Rollup[], full: Map<string, Set<string>>, { valuesMax }: Grain): Iterable<Rollup> {
  const result = new Map<string, Rollup>();
  for (const rollup of rollups.toSorted((one, other) => other.sums.requests - one.sums.requests)) {
    const present = full.get(startName(rollup));
    const hasRoom = !present || present.has(rollup.value) || present.size < valuesMax(rollup.dimension) - 1;
    if (hasRoom) present?.add(rollup.value);
    addRollup(result, hasRoom ? rollup : { ...rollup, value: storedOther });
  }
  return result.values();
}

function fieldsOf({ account, dimension, start, value, sums }: Rollup): readonly FieldValue[] {
  const figures = rollupSums.map((name) => (typeof sums[name] === 'bigint' ? String(sums[name]) : sums[name]));
  return [account, dimension, start, value, ...figures];
}
