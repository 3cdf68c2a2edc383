import type { Statement } from './job.ts';

/** What each column of a table takes: BIGINT and INTEGER are written from text, so that money stays exact. */
export type Columns = Readonly<Record<string, 'text' | 'bigint' | 'integer'>>;

/** Reads by lists of names: `in @accounts` are those that the parameter has under that name. */
export function selection(name: string, text: string, onPostgres = ''): Statement {
  const named = (list: (name: string) => string) => text.replace(/in @(\w+)/g, (_, each: string) => list(each));
  const elements = (list: string) => `select jsonb_array_elements_text(cast($1 as jsonb) -> '${list}')`;
  return {
    name,
    sqlite: named((list) => `in (select value from json_each(?1, '$.${list}'))`),
    postgres: `${named((list) => `= any (array(${elements(list)}))`)} ${onPostgres}`,
  };
}

/** Inserts rows, each a JSON list in the order of the columns. `then` is what follows, such as what to do in a conflict. */
export function insertion(table: string, columns: Columns, then = ''): Statement {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const into = `insert into ${table} (${names.join(', ')}) select`;
  const more = then === '' ? '' : ` ${then}`;
  return {
    name: `insert ${table}`,
    // Without a condition SQLite would take `on conflict` for the condition of a join.
    sqlite: `${into} ${sqliteFields(columns).join(', ')} from json_each(?1) as rows where true${more}`,
    postgres: `${into} ${postgresFields(columns).join(', ')} from ${postgresRows}${more}`,
  };
}

/** Adds rows of figures to those that are there already. */
export function addition(table: string, keys: Columns, sums: readonly string[]): Statement {
  const columns = { ...keys, ...Object.fromEntries(sums.map((name) => [name, 'bigint' as const])) };
  const sets = sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  const statement = insertion(
    table,
    columns,
    `on conflict (${Object.keys(keys).join(', ')}) do update set ${sets.join(', ')}`,
  );
  return { ...statement, name: `add to ${table}` };
}

/** Where PostgreSQL finds the lists of one parameter. */
const postgresRows = 'jsonb_array_elements(cast($1 as jsonb)) as rows (value)';

/** Changes rows that are there: the first columns of each list name the row, the others are what it becomes. */
export function change(table: string, keys: Columns, values: Columns): Statement {
  const columns = { ...keys, ...values };
  const text = (fields: readonly string[], rows: string): string => {
    const pairs = Object.keys(columns).map((name, index) => [name, fields[index] ?? ''] as const);
    const named = pairs.slice(0, Object.keys(keys).length).map(([name, field]) => `${table}.${name} = ${field}`);
    const sets = pairs.slice(Object.keys(keys).length).map(([name, field]) => `${name} = ${field}`);
    return `update ${table} set ${sets.join(', ')} from ${rows} where ${named.join(' and ')}`;
  };
  return {
    name: `change ${table}`,
    sqlite: text(sqliteFields(columns), 'json_each(?1) as rows'),
    postgres: text(postgresFields(columns), postgresRows),
  };
}

/** Deletes the rows that the lists name. */
export function deletion(table: string, keys: Columns): Statement {
  const names = `(${Object.keys(keys).join(', ')})`;
  const from = `delete from ${table} where ${names} in (select`;
  return {
    name: `delete ${table}`,
    sqlite: `${from} ${sqliteFields(keys).join(', ')} from json_each(?1) as rows)`,
    postgres: `${from} ${postgresFields(keys).join(', ')} from ${postgresRows})`,
  };
}

function sqliteFields(columns: Columns): readonly string[] {
  return Object.values(columns).map((type, index) =>
    type === 'text' ? `rows.value ->> ${index}` : `cast(rows.value ->> ${index} as integer)`,
  );
}

function postgresFields(columns: Columns): readonly string[] {
  return Object.values(columns).map((type, index) =>
    type === 'text' ? `rows.value ->> ${index}` : `cast(rows.value ->> ${index} as ${type})`,
  );
}
