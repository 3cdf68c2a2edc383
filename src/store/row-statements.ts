import type { SqlStatement, WritingStatement } from './job.ts';

/** What each column of a table takes: BIGINT and INTEGER are written from text, so that money stays exact. */
export type Columns = Readonly<Record<string, 'text' | 'bigint' | 'integer'>>;

/** Reads or deletes by lists of names: `in @accounts` are those that the parameter has under that name. */
export function selection(name: string, text: string, onPostgres = ''): SqlStatement {
  const named = (list: (name: string) => string) => text.replace(/in @(\w+)/g, (_, each: string) => list(each));
  const elements = (list: string) => `select jsonb_array_elements_text(cast($1 as jsonb) -> '${list}')`;
  return {
    name,
    sqlite: named((list) => `in (select value from json_each(?1, '$.${list}'))`),
    postgres: `${named((list) => `= any (array(${elements(list)}))`)} ${onPostgres}`,
  };
}

interface InsertionTerms {
  /** What to do in a conflict. */
  readonly onConflict?: string;
  /** Whether it says which rows it has written. */
  readonly tells?: boolean;
}

/** Inserts rows, each with its fields in the order of the columns. */
export function insertion(table: string, columns: Columns, terms: InsertionTerms = {}): WritingStatement {
  const { onConflict, tells = false } = terms;
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const into = `insert into ${table} (${names.join(', ')})`;
  const then = onConflict === undefined ? '' : ` on conflict ${onConflict}`;
  return {
    name: `insert ${table}`,
    tells,
    sqlite: `${into} values (${sqliteFields(columns).join(', ')})${then}`,
    postgres: `${into} select ${postgresFields(columns).join(', ')} from ${postgresRows}${then}${tells ? ` returning ${names[0]} as written` : ''}`,
  };
}

/** Adds rows of figures to those that are there already. */
export function addition(table: string, keys: Columns, sums: readonly string[]): WritingStatement {
  const columns = { ...keys, ...Object.fromEntries(sums.map((name) => [name, 'bigint' as const])) };
  const sets = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  const onConflict = `(${Object.keys(keys).join(', ')}) do update set ${sets.join(', ')}`;
  return { ...insertion(table, columns, { onConflict }), name: `add to ${table}` };
}

/** Where PostgreSQL finds the lists of one parameter. */
const postgresRows = 'jsonb_array_elements(cast($1 as jsonb)) as rows (value)';

/** Changes rows that are there: the first fields of each name the row, the others are what it becomes. */
export function change(table: string, keys: Columns, values: Columns): WritingStatement {
  const columns = { ...keys, ...values };
  const text = (fields: readonly string[], from: string): string => {
    const pairs = Object.keys(columns).map((name, index) => [name, fields[index] ?? ''] as const);
    const named = pairs.slice(0, Object.keys(keys).length).map(([name, field]) => `${table}.${name} = ${field}`);
    const sets = pairs.slice(Object.keys(keys).length).map(([name, field]) => `${name} = ${field}`);
    return `update ${table} set ${sets.join(', ')} ${from}where ${named.join(' and ')}`;
  };
  return {
    name: `change ${table}`,
    tells: false,
    // What names the row stands behind what it becomes.
    sqlite: text(
      sqliteFields(columns, (index) => `?${index + 1}`),
      '',
    ),
    postgres: text(postgresFields(columns), `from ${postgresRows} `),
  };
}

/** Deletes the rows that the fields name. */
export function deletion(table: string, keys: Columns): WritingStatement {
  const names = Object.keys(keys);
  const each = sqliteFields(keys).map((field, index) => `${names[index]} = ${field}`);
  return {
    name: `delete ${table}`,
    tells: false,
    sqlite: `delete from ${table} where ${each.join(' and ')}`,
    postgres: `delete from ${table} where (${names.join(', ')}) in (select ${postgresFields(keys).join(', ')} from ${postgresRows})`,
  };
}

/** Without a number unless one is needed: where parameters have names, Node looks for each one's among all of them. */
function sqliteFields(columns: Columns, parameter: (index: number) => string = () => '?'): readonly string[] {
  return Object.values(columns).map((type, index) =>
    type === 'text' ? parameter(index) : `cast(${parameter(index)} as integer)`,
  );
}

function postgresFields(columns: Columns): readonly string[] {
  return Object.values(columns).map((type, index) =>
    type === 'text' ? `rows.value ->> ${index}` : `cast(rows.value ->> ${index} as ${type})`,
  );
}
