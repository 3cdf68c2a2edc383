import type { Insertable } from 'kysely';
import type { Database } from './database.ts';
import { type FieldValue, type JobStatement, statementsFor } from './job.ts';
import { addition, type Columns } from './row-statements.ts';

/**
 * The columns of counters. Rows with the same key are added up. A sum is a number, a bigint if it is money, or a text to
 * which others are appended.
 */
export interface CounterColumns<Row> {
  readonly keys: readonly (keyof Row)[];
  readonly sums: readonly (keyof Row)[];
}

/** A table of counters. Given rows may have more columns than the table. */
export interface CounterTable<Row> {
  sum<Given extends Row>(rows: Iterable<Given>): readonly Given[];
  /** Adds rows to the table, in one statement. The order is fixed, so that two processes cannot deadlock. */
  add(rows: Iterable<Row>): readonly JobStatement[];
}

export function counterTable<Table extends keyof Database>(
  table: Table,
  keys: Readonly<Partial<Record<keyof Insertable<Database[Table]>, Columns[string]>>>,
  sums: readonly (keyof Insertable<Database[Table]> & string)[],
  /** Texts, which the given rows replace unless they are empty. */
  texts: readonly (keyof Insertable<Database[Table]> & string)[] = [],
): CounterTable<Insertable<Database[Table]>> {
  type TableRow = Insertable<Database[Table]>;
  const columns: CounterColumns<TableRow> = {
    keys: Object.keys(keys) as (keyof TableRow)[],
    sums: [...sums, ...texts],
  };
  const statement = addition(table, keys as Columns, { sums, texts });
  return {
    sum: (rows) => sumRows(columns, rows),
    add(rows) {
      const groups = [...groupRows(columns, rows)].sort(([one], [other]) => (one < other ? -1 : 1));
      return statementsFor(
        statement,
        groups.map(([, row]) => fieldsOf(columns, row)),
      );
    },
  };
}

/** Adds up rows with the same key, in the order of their first appearance. */
export function sumRows<Row extends object>(columns: CounterColumns<Row>, rows: Iterable<Row>): readonly Row[] {
  return [...groupRows(columns, rows).values()];
}

function groupRows<Given extends Row, Row extends object>(
  { keys, sums }: CounterColumns<Row>,
  rows: Iterable<Given>,
): ReadonlyMap<string, Given> {
  const groups = new Map<string, Given>();
  for (const row of rows) {
    // Only a present value has the sign, and no stored text contains NUL. So different keys have different names.
    let name = '';
    for (const key of keys) name += row[key] === null ? '\0' : `=${row[key] as FieldValue}\0`;
    const known = groups.get(name);
    if (known) addSums(sums, known, row);
    else groups.set(name, { ...row });
  }
  return groups;
}

export function addSums<Row>(sums: readonly (keyof Row)[], to: Row, more: Row): void {
  // The same operator adds two numbers, two bigints or two texts.
  type Sums = Record<keyof Row, number>;
  const [total, added] = [to, more] as unknown as readonly [Sums, Sums];
  for (const name of sums) total[name] += added[name];
}

/** The fields of a row in the order of its columns. Money is text, so that it stays exact. */
export function fieldsOf<Row>({ keys, sums }: CounterColumns<Row>, row: Row): readonly FieldValue[] {
  const fields = keys.map((name) => row[name] as FieldValue);
  for (const name of sums) {
    const sum = row[name];
    fields.push(typeof sum === 'bigint' ? String(sum) : (sum as number));
  }
  return fields;
}
