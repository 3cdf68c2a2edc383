import type { SqlStatement, WritingStatement } from './job.ts';

/** Type of each column. BIGINT and INTEGER are written from text, so that money stays exact. */
export type Columns = Readonly<Record<string, 'text' | 'bigint' | 'integer'>>;

/** Reads or deletes by names: `in @accounts` matches those that the JSON parameter lists under `accounts`. */
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
  readonly onConflict?: string;
  readonly returnsWritten?: boolean;
}

/** Inserts rows; the fields of each are in the order of the columns. */
export function insertion(table: string, columns: Columns, terms: InsertionTerms = {}): WritingStatement {
  const { onConflict, returnsWritten = false } = terms;
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const into = `insert into ${table} (${names.join(', ')})`;
  const then = onConflict === undefined ? '' : ` on conflict ${onConflict}`;
  return {
    name: `insert ${table}`,
    returnsWritten,
    sqlite: `${into} values (${sqliteFields(columns).join(', ')})${then}`,
    postgres: `${into} select ${postgresFields(columns).join(', ')} from ${postgresRows}${then}${returnsWritten ? ` returning ${names[0]} as written` : ''}`,
  };
}

interface AddedColumns {
  readonly sums: readonly string[];
  readonly texts: readonly string[];
}

/** Adds figures to the sums of existing rows and replaces their texts by texts that are not empty; or inserts the rows. */
export function addition(table: string, keys: Columns, { sums, texts }: AddedColumns): WritingStatement {
  const typed = (names: readonly string[], type: 'bigint' | 'text') => names.map((name) => [name, type] as const);
  const columns = { ...keys, ...Object.fromEntries([...typed(sums, 'bigint'), ...typed(texts, 'text')]) };
  const sets = [
    ...sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`),
    ...texts.map((name) => `${name} = coalesce(nullif(excluded.${name}, ''), ${table}.${name})`),
  ];
  const onConflict = `(${Object.keys(keys).join(', ')}) do update set ${sets.join(', ')}`;
  return { ...insertion(table, columns, { onConflict }), name: `add to ${table}` };
}

/** The rows of the JSON parameter, as a PostgreSQL table. */
const postgresRows = 'jsonb_array_elements(cast($1 as jsonb)) as rows (value)';

/** Updates existing rows. The first fields of each row are its key, the others its new values. */
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
    returnsWritten: false,
    // The update needs the key after the values, but the fields begin with the key: so number the parameters.
    sqlite: text(
      sqliteFields(columns, (index) => `?${index + 1}`),
      '',
    ),
    postgres: text(postgresFields(columns), `from ${postgresRows} `),
  };
}

export function deletion(table: string, keys: Columns): WritingStatement {
  const names = Object.keys(keys);
  const each = sqliteFields(keys).map((field, index) => `${names[index]} = ${field}`);
  return {
    name: `delete ${table}`,
    returnsWritten: false,
    sqlite: `delete from ${table} where ${each.join(' and ')}`,
    postgres: `delete from ${table} where (${names.join(', ')}) in (select ${postgresFields(keys).join(', ')} from ${postgresRows})`,
  };
}

/** Parameters have no numbers unless needed: for named parameters, Node searches all names for each one. */
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
