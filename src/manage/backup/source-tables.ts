import { DatabaseSync } from 'node:sqlite';

export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** The last id that the table generated, if it generates ids. */
  readonly lastId: bigint | undefined;
}

const busyWaitMs = 10_000;

/**
 * Opens an embedded store to read it as it is at one moment. `alone` locks all other processes out until it is closed.
 */
export function openSource(file: string, alone: boolean): DatabaseSync {
  const source = new DatabaseSync(file, { readOnly: !alone, timeout: busyWaitMs });
  source.exec(alone ? 'begin exclusive' : 'begin');
  return source;
}

export function sourceTables(source: DatabaseSync): readonly SourceTable[] {
  const names = source
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' and name not like 'kysely\\_%' escape '\\' order by name",
    )
    .all()
    .map((row) => String(row['name']));
  return names.map((name) => ({
    name,
    columns: source
      .prepare('select name from pragma_table_info(?)')
      .all(name)
      .map((row) => String(row['name'])),
    rows: Number(source.prepare(`select count(*) as count from ${quoted(name)}`).get()?.['count']),
    lastId: lastId(source, name),
  }));
}

function lastId(source: DatabaseSync, table: string): bigint | undefined {
  const statement = source.prepare('select seq from sqlite_sequence where name = ?');
  statement.setReadBigInts(true);
  const seq = statement.get(table)?.['seq'];
  return typeof seq === 'bigint' ? seq : undefined;
}

/** Integers are exact. */
export function sourceRows(source: DatabaseSync, { name, columns }: SourceTable): Iterable<Record<string, unknown>> {
  const statement = source.prepare(`select ${columns.map(quoted).join(', ')} from ${quoted(name)}`);
  statement.setReadBigInts(true);
  return statement.iterate();
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Digest that identifies the store's secret, if it ever had one. */
export function sourcePepper(source: DatabaseSync): string | undefined {
  const row = source.prepare("select value from settings where name = 'pepper'").get();
  return row && String(row['value']);
}
