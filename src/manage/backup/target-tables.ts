import { type Kysely, sql } from 'kysely';
import type { Database } from '../../platform/store/database.ts';

export interface TargetTable {
  readonly name: string;
  readonly columns: ReadonlyMap<string, string>;
  /** The column with values that the database generates. */
  readonly identity: string | undefined;
}

type Handle = Kysely<Database>;

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly identity: boolean;
}

/** All tables of the schema except the migrator's own, each after the tables it refers to. */
export async function targetTables(db: Handle): Promise<readonly TargetTable[]> {
  const { rows } = await sql<ColumnRow>`
    select table_name as table, column_name as column, data_type as type, is_identity = 'YES' as identity
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name not like 'kysely\\_%'
    order by table_name, ordinal_position`.execute(db);
  const byTable = Map.groupBy(rows, ({ table }) => table);
  const tables = [...byTable].map(
    ([name, columns]): TargetTable => ({
      name,
      columns: new Map(columns.map(({ column, type }) => [column, type])),
      identity: columns.find(({ identity }) => identity)?.column,
    }),
  );
  return inOrder(tables, await references(db));
}

async function references(db: Handle): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ from: string; to: string }>`
    select distinct one.relname as from, other.relname as to from pg_constraint
    join pg_class one on one.oid = conrelid join pg_class other on other.oid = confrelid
    where contype = 'f' and connamespace = to_regnamespace(quote_ident(current_schema()))`.execute(db);
  return new Map([...Map.groupBy(rows, ({ from }) => from)].map(([from, found]) => [from, found.map(({ to }) => to)]));
}

function inOrder(
  tables: readonly TargetTable[],
  refersTo: ReadonlyMap<string, readonly string[]>,
): readonly TargetTable[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<TargetTable>();
  const visited = new Set<string>();
  const visit = (name: string): void => {
    if (visited.has(name)) return;
    visited.add(name);
    for (const other of refersTo.get(name) ?? []) visit(other);
    const table = byName.get(name);
    if (table) ordered.add(table);
  };
  for (const { name } of tables) visit(name);
  return [...ordered];
}

export async function filledTable(db: Handle, tables: readonly TargetTable[]): Promise<string | undefined> {
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) return name;
  }
  return undefined;
}
