import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ImportError } from '../importer.ts';
import type { Cell, Row, TableReader } from '../table-reader.ts';

/** How long to wait for a commit of the product that owns the file. */
const busyMs = 10_000;

/**
 * The tables of an SQLite file, also while its owner writes it. One transaction gives one snapshot. In a file without a
 * write-ahead log, the owner's commits wait until the reader is closed.
 */
export function sqliteTables(file: string): TableReader {
  const database = opened(file);
  const tables = (): readonly string[] =>
    names(database.prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`));
  const columns = (table: string): readonly string[] =>
    tables().includes(table) ? names(database.prepare(`select name from pragma_table_info(${text(table)})`)) : [];
  return {
    label: `the SQLite file ${file}`,
    tables: () => Promise.resolve(tables()),
    columns: (table) => Promise.resolve(columns(table)),
    async *rows(table) {
      if (!tables().includes(table)) return;
      const statement = database.prepare(`select * from ${quoted(table)} order by ${orderOf(database, table)}`);
      statement.setReadBigInts(true);
      for (const row of statement.iterate()) yield rowOf(row);
    },
    close: () => Promise.resolve(database.close()),
  };
}

function opened(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: busyMs });
    database.exec('begin');
    // The snapshot begins with the first read.
    database.prepare('select count(*) from sqlite_master').get();
    return database;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new ImportError(
      `The SQLite file ${file} cannot be read: ${cause}.`,
      'Check the path and its permissions. Beside a file with a write-ahead log, the folder must be writable: read a copy made with `sqlite3 FILE ".backup COPY"`.',
    );
  }
}

function names(statement: StatementSync): readonly string[] {
  return statement.all().map(({ name }) => String(name));
}

/** The columns of the primary key; else the order in which the rows were written. */
function orderOf(database: DatabaseSync, table: string): string {
  const info = `select name from pragma_table_info(${text(table)}) where pk > 0 order by pk`;
  const keys = names(database.prepare(info));
  return keys.length > 0 ? keys.map(quoted).join(', ') : 'rowid';
}

function rowOf(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)]));
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  // Programs in Go store JSON as bytes.
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return typeof value === 'string' ? value : (value as number | bigint).toString();
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
