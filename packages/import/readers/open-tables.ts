import { open } from 'node:fs/promises';
import { ImportError } from '../importer.ts';
import type { TableReader } from '../table-reader.ts';
import { dumpTables } from './dump/dump-tables.ts';
import { postgresTables } from './postgres-tables.ts';
import { sqliteTables } from './sqlite-tables.ts';

const headBytes = 64 * 1024;

/**
 * Opens a database to read: the address of a PostgreSQL, an SQLite file, or a dump of MySQL, MariaDB or PostgreSQL.
 * `postgresLabel`: the address without its credentials, for messages.
 */
export async function openTables(source: string, postgresLabel = 'PostgreSQL'): Promise<TableReader> {
  if (/^postgres(?:ql)?:\/\//.test(source)) return postgresTables(source, postgresLabel);
  if (/^(?:mysql|mariadb):\/\//.test(source) || /@tcp\(/.test(source)) {
    throw new ImportError(
      'MySQL and MariaDB are read from a dump, not from an address.',
      'Write one with `mysqldump --single-transaction --default-character-set=utf8mb4 DATABASE > dump.sql`, and give its path.',
    );
  }
  const head = await headOf(source);
  if (head.startsWith('SQLite format 3\0')) return sqliteTables(source);
  const [, problem, fix] = unreadable.find(([pattern]) => pattern.test(head)) ?? [];
  if (problem !== undefined && fix !== undefined) throw new ImportError(`${source} is ${problem}.`, fix);
  const dialect = /^-- PostgreSQL database (?:cluster )?dump/m.test(head) ? 'postgres' : 'mysql';
  // A byte order mark is no part of the first statement.
  return dumpTables(source, dialect, head.startsWith('\xef\xbb\xbf') ? 3 : 0);
}

/** Files that people take for a dump, by their first bytes. */
const unreadable: readonly (readonly [RegExp, string, string])[] = [
  // oxlint-disable-next-line no-control-regex -- the marks of gzip, bzip2, zstd and zip
  [/^\x1f\x8b|^BZh|^\x28\xb5\x2f\xfd|^PK\x03\x04/, 'compressed', 'Decompress it first.'],
  [/^PGDMP/, 'a PostgreSQL archive', 'Write it as text: `pg_restore --file=dump.sql ARCHIVE`.'],
  [
    /^(?:\xff\xfe|\xfe\xff)/,
    'a dump in UTF-16, as a redirection in PowerShell writes it',
    'Write the dump with `mysqldump --result-file=dump.sql` instead of `>`.',
  ],
];

/** The first bytes of a file, as Latin-1 characters. */
async function headOf(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new ImportError(`${file} cannot be read: ${cause}.`, 'Give the path of a file, or a postgres:// address.');
  }
}
