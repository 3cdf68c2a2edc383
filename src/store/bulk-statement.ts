import type { CompiledQuery, Kysely } from 'kysely';
import type { Database } from './database.ts';

/** Enough that a commit of many rows is few statements; few enough that each fits among those SQLite keeps prepared. */
const rowsMax = 32;

/**
 * A statement for many rows of one shape. Building and preparing a statement costs more than running it, so there is one
 * for each number of rows, built once. Every row must have the same fields in the same order.
 */
export function bulkStatement<Row extends object, Result>(
  build: (db: Kysely<Database>, rows: readonly Row[]) => { compile(): CompiledQuery<Result> },
): (db: Kysely<Database>, rows: readonly Row[]) => Promise<readonly Result[]> {
  const built = new Map<number, CompiledQuery<Result>>();

  function statementFor(db: Kysely<Database>, rows: readonly Row[]): CompiledQuery<Result> {
    const known = built.get(rows.length) ?? build(db, rows).compile();
    built.set(rows.length, known);
    return { ...known, parameters: rows.flatMap((row): unknown[] => Object.values(row)) };
  }

  return async (db, rows) => {
    const results: Result[] = [];
    for (let start = 0; start < rows.length; start += rowsMax) {
      const some = rows.slice(start, start + rowsMax);
      results.push(...(await db.executeQuery(statementFor(db, some))).rows);
    }
    return results;
  };
}
