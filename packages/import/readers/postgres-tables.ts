import pg from 'pg';
import { ImportError } from '../importer.ts';
import type { Row, TableReader } from '../table-reader.ts';

const connectMs = 10_000;
/** A statement reads at most so many rows, so it never runs long. */
const rowsAtOnce = 1000;
const statementMs = 120_000;

/**
 * The tables of a PostgreSQL database, in one read-only transaction with one snapshot. They are looked for in the schemas
 * of the search path, or in the `schema` that the address names. `label`: the address without credentials.
 */
export async function postgresTables(address: string, label: string): Promise<TableReader> {
  const client = await connected(address, label);
  const all = await tablesOf(client);
  let cursors = 0;
  return {
    label,
    tables: () => Promise.resolve([...all.keys()]),
    columns: (table) => Promise.resolve(all.get(table)?.columns.map(({ name }) => name) ?? []),
    async *rows(table) {
      const found = all.get(table);
      if (!found) return;
      cursors += 1;
      const cursor = `import_${cursors}`;
      await client.query(`declare ${cursor} no scroll cursor for ${selectOf(table, found)}`);
      for (;;) {
        const { rows } = await client.query<Row>(`fetch ${rowsAtOnce} from ${cursor}`);
        yield* rows;
        if (rows.length < rowsAtOnce) break;
      }
      await client.query(`close ${cursor}`);
    },
    close: () => client.end(),
  };
}

interface FoundTable {
  readonly schema: string;
  readonly columns: readonly FoundColumn[];
}

interface FoundColumn {
  readonly name: string;
  readonly isArray: boolean;
  readonly isKey: boolean;
}

async function connected(address: string, label: string): Promise<pg.Client> {
  const { connectionString, schema } = withoutSchema(address);
  const client = new pg.Client({
    connectionString,
    application_name: 'chat-gateway import',
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    types: { getTypeParser: () => (value: string) => value },
  });
  // The next statement fails with the same error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin transaction isolation level repeatable read read only');
    await client.query(`set local time zone 'UTC'`);
    if (schema !== undefined) await client.query(`set local search_path to ${pg.escapeIdentifier(schema)}`);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    const cause = error instanceof Error ? error.message : String(error);
    throw new ImportError(
      `${label} cannot be read: ${cause}.`,
      'Check the address, its user and the network. A user with the right to SELECT is enough.',
    );
  }
}

/** `?schema=` is how LiteLLM's library names the schema; PostgreSQL does not know it. */
function withoutSchema(address: string): { readonly connectionString: string; readonly schema: string | undefined } {
  if (!URL.canParse(address)) return { connectionString: address, schema: undefined };
  const url = new URL(address);
  const schema = url.searchParams.get('schema') ?? undefined;
  for (const name of prismaParameters) url.searchParams.delete(name);
  return { connectionString: url.href, schema };
}

const prismaParameters = ['schema', 'connection_limit', 'pool_timeout', 'pgbouncer', 'statement_cache_size'];

/** The tables that a name without a schema finds, with their columns. */
async function tablesOf(client: pg.Client): Promise<ReadonlyMap<string, FoundTable>> {
  const { rows } = await client.query<Record<'schema' | 'table' | 'column' | 'is_array' | 'is_key', string>>(`
    select n.nspname as schema, c.relname as table, a.attname as column,
      (a.attndims > 0 or t.typcategory = 'A')::text as is_array,
      coalesce(a.attnum = any (i.indkey), false)::text as is_key
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relkind in ('r', 'p') and pg_table_is_visible(c.oid) and n.nspname not in ('pg_catalog', 'information_schema')
    order by c.relname, a.attnum`);
  const tables = new Map<string, { readonly schema: string; readonly columns: FoundColumn[] }>();
  for (const { schema, table, column, is_array, is_key } of rows) {
    const found = tables.get(table) ?? { schema, columns: [] };
    found.columns.push({ name: column, isArray: is_array === 'true', isKey: is_key === 'true' });
    tables.set(table, found);
  }
  return tables;
}

/** Every column as text. Arrays are JSON. */
function selectOf(table: string, { schema, columns }: FoundTable): string {
  const quoted = pg.escapeIdentifier;
  const values = columns.map(({ name, isArray }) =>
    isArray ? `array_to_json(${quoted(name)})::text as ${quoted(name)}` : `${quoted(name)}::text as ${quoted(name)}`,
  );
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => `t.${quoted(name)}`);
  const order = keys.length > 0 ? `order by ${keys.join(', ')}` : '';
  return `select ${values.join(', ')} from ${quoted(schema)}.${quoted(table)} t ${order}`;
}
