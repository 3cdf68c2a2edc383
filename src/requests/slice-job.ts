import { asks, type Field, type Job, type Row, type Statement, type Steps } from '../store/job.ts';
import { addition, change, deletion, insertion } from '../store/row-statements.ts';
import { takingTurn } from '../store/turn-statement.ts';
import type { RequestRow } from './request-record.ts';
import {
  type Dimension,
  dimensions,
  dimensionTerms,
  everyAccount,
  storedOther,
  storedValue,
} from './slice-dimensions.ts';
import {
  addSums,
  decodeGroups,
  encodeGroups,
  type GroupedRow,
  groupsOf,
  type SliceSums,
  sliceSums,
  type UsageGroup,
} from './usage-group.ts';

/** Notes what new requests add up to: one row for all of them, whatever they are. It stands until it is added to the sums. */
export function noteGroups(rows: readonly RequestRow[]) {
  const [first] = rows;
  return first ? asks(insertNote, [[first.id, encodeGroups(groupsOf(rows))]]) : [];
}

const insertNote = insertion('usage_notes', { id: 'text', body: 'text' });

/** How much one turn takes; it says whether there may be more. */
export interface SliceTurn {
  readonly notes: number;
  readonly requests: number;
}

/**
 * Adds what was noted to the sums, and the requests that nobody has noted: those of the version before. What is added is
 * deleted or marked in the same commit, and there is one at a time that adds, so that everything is counted once.
 */
export const addingSlices: Job<SliceTurn, boolean> = {
  module: import.meta.url,
  name: 'addingSlices',
  *steps(turn): Steps<boolean> {
    const [, notes = [], requests = []] = yield [
      { statement: takingTurn, parameter: 'usage slices' },
      { statement: oldestNotes, parameter: String(turn.notes) },
      { statement: unsliced, parameter: String(turn.requests) },
    ];
    const groups = [...notes.flatMap(({ body }) => decodeGroups(String(body))), ...groupsOf(requests.map(groupedRow))];
    const slices = slicesOf(groups);
    const full = yield* fullHours(slices);
    const last = [
      ...asks(additionToSlices, Array.from(folded(slices, full), fieldsOf)),
      ...asks(
        deleteNotes,
        notes.map(({ id = null }) => [id]),
      ),
      ...asks(
        markRequests,
        requests.map(({ id = null }) => [id, 1]),
      ),
    ];
    return { last, result: notes.length === turn.notes || requests.length === turn.requests };
  },
};

const oldestNotes: Statement = {
  name: 'usage notes',
  sqlite: 'select id, body from usage_notes limit cast(?1 as integer)',
  postgres: 'select id, body from usage_notes limit cast($1 as integer)',
};

const requestColumns = `id, started_at, account_id, key_id, model, user_id, upstream, status, error_case, client_gone,
  prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, wait_ms, first_byte_ms, duration_ms,
  cast(cost as text) as cost, cast(provider_cost as text) as provider_cost`;

/** The newest first: they are asked for most. */
const unsliced: Statement = {
  name: 'unsliced requests',
  sqlite: `select ${requestColumns} from requests where sliced is null order by started_at desc limit cast(?1 as integer)`,
  postgres: `select ${requestColumns} from requests where sliced is null order by started_at desc limit cast($1 as integer)`,
};

const deleteNotes = deletion('usage_notes', { id: 'text' });
const markRequests = change('requests', { id: 'text' }, { sliced: 'integer' });

function groupedRow(row: Row): GroupedRow {
  const money = (value: Row[string] | undefined) => (value === null || value === undefined ? null : BigInt(value));
  const { cost, provider_cost, ...rest } = row;
  return { ...rest, cost: money(cost), provider_cost: money(provider_cost) } as unknown as GroupedRow;
}

/** Sums of one value of one dimension in one hour of an account, or of all. */
interface Slice {
  readonly account: string;
  readonly dimension: Dimension;
  readonly hour: number;
  readonly value: string;
  readonly sums: SliceSums;
}

function slicesOf(groups: readonly UsageGroup[]): readonly Slice[] {
  const slices = new Map<string, Slice>();
  for (const { name, sums } of groups) {
    for (const dimension of dimensions) {
      const { valueOf, ofAccount, ofAll } = dimensionTerms[dimension];
      const value = storedValue(valueOf(name));
      const owners = [ofAccount ? name.account_id : undefined, ofAll ? everyAccount : undefined];
      for (const account of owners) {
        if (account !== undefined) addSlice(slices, { account, dimension, hour: name.hour, value, sums });
      }
    }
  }
  return [...slices.values()];
}

function addSlice(slices: Map<string, Slice>, slice: Slice): void {
  const name = `${hourName(slice)}\0${slice.value}`;
  const known = slices.get(name);
  if (known) addSums(known.sums, slice.sums);
  else slices.set(name, { ...slice, sums: { ...slice.sums } });
}

function hourName({ account, dimension, hour }: Pick<Slice, 'account' | 'dimension' | 'hour'>): string {
  return `${account}\0${dimension}\0${hour}`;
}

/** The values that hours have already, of those hours only that have not room for everything that is to be added. */
function* fullHours(
  slices: readonly Slice[],
): Generator<readonly ReturnType<typeof hoursAsked>[], Map<string, Set<string>>, readonly (readonly Row[])[]> {
  const fresh = new Map<string, Slice[]>();
  for (const slice of slices) {
    const name = hourName(slice);
    fresh.set(name, [...(fresh.get(name) ?? []), slice]);
  }
  if (fresh.size === 0) return new Map();
  const firsts = Array.from(fresh.values(), ([first]) => first).filter((first) => first !== undefined);
  const [counts = []] = yield [hoursAsked(valueCounts, firsts)];
  const known = new Map(counts.map((row) => [rowHour(row), Number(row['values'])]));
  const tight = firsts.filter((first) => {
    const name = hourName(first);
    return (known.get(name) ?? 0) + (fresh.get(name)?.length ?? 0) > dimensionTerms[first.dimension].valuesMax;
  });
  const values = new Map(tight.map((first) => [hourName(first), new Set<string>()]));
  if (tight.length === 0) return values;
  const [rows = []] = yield [hoursAsked(valuesThere, tight)];
  for (const row of rows) values.get(rowHour(row))?.add(String(row['value']));
  return values;
}

function rowHour(row: Row): string {
  return `${row['account_id']}\0${row['dimension']}\0${row['hour']}`;
}

function hoursAsked(statement: Statement, hours: readonly Slice[]) {
  const parameter = JSON.stringify(hours.map(({ account, dimension, hour }) => [account, dimension, hour]));
  return { statement, parameter };
}

const sameHour = (account: string, dimension: string, hour: string) =>
  `usage_slices.account_id = ${account} and usage_slices.dimension = ${dimension} and usage_slices.hour = ${hour}`;
const sqliteHours = `from json_each(?1) as asked cross join usage_slices
  on ${sameHour("asked.value ->> '$[0]'", "asked.value ->> '$[1]'", "asked.value ->> '$[2]'")}`;
const postgresHours = `from jsonb_array_elements(cast($1 as jsonb)) as asked (value) join usage_slices
  on ${sameHour('asked.value ->> 0', 'asked.value ->> 1', 'cast(asked.value ->> 2 as bigint)')}`;

const countedColumns = 'select account_id, dimension, hour, count(*) as "values"';
const countedGroups = 'group by account_id, dimension, hour';
const valueCounts: Statement = {
  name: 'usage slice counts',
  sqlite: `${countedColumns} ${sqliteHours} ${countedGroups}`,
  postgres: `${countedColumns} ${postgresHours} ${countedGroups}`,
};

const valuesThere: Statement = {
  name: 'usage slice values',
  sqlite: `select account_id, dimension, hour, usage_slices.value as value ${sqliteHours}`,
  postgres: `select account_id, dimension, hour, usage_slices.value as value ${postgresHours}`,
};

/** What an hour has no room for is added up together. In a fixed order, so that what comes first does not depend on luck. */
function folded(slices: readonly Slice[], full: Map<string, Set<string>>): Iterable<Slice> {
  const result = new Map<string, Slice>();
  const ordered = slices.toSorted((one, other) => other.sums.requests - one.sums.requests);
  for (const slice of ordered) {
    const there = full.get(hourName(slice));
    const hasRoom = !there || there.has(slice.value) || there.size < dimensionTerms[slice.dimension].valuesMax - 1;
    if (hasRoom) there?.add(slice.value);
    addSlice(result, hasRoom ? slice : { ...slice, value: storedOther });
  }
  return result.values();
}

function fieldsOf({ account, dimension, hour, value, sums }: Slice): readonly Field[] {
  const figures = sliceSums.map((name) => (typeof sums[name] === 'bigint' ? String(sums[name]) : sums[name]));
  return [account, dimension, hour, value, ...figures];
}

const sliceKeys = { account_id: 'text', dimension: 'text', hour: 'bigint', value: 'text' } as const;
const additionToSlices = addition('usage_slices', sliceKeys, sliceSums);
