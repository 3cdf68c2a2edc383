import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync } from 'node:zlib';

/** A day on which Bifrost wrote both databases, after the last request. */
export const bifrostNow = Date.UTC(2026, 10, 19, 15);
export const bifrostPassphrase = 'a passphrase of the trial, long enough';

/** Writes a copy of a store that Bifrost 1.6.11 has written, changed by some statements, and returns its path. */
export function bifrostStore(folder: string, form: 'plain' | 'encrypted', statements: readonly string[] = []): string {
  const file = join(folder, 'config.db');
  const packed = new URL(`../fixtures/importers/bifrost-1.6.11-${form}.db.br`, import.meta.url);
  writeFileSync(file, brotliDecompressSync(readFileSync(packed)));
  changeBifrost(file, statements);
  return file;
}

export function changeBifrost(file: string, statements: readonly string[]): void {
  // Rows that the tests add are not complete.
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  for (const statement of statements) database.exec(statement);
  database.close();
}
