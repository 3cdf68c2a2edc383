import { foreignJson } from 'chat-formats/json/foreign-json.ts';

/**
 * A value of a column as text, or `null`. Numbers are decimal text, exactly as the database prints them: they are never
 * converted to floats. Arrays and JSON are JSON text. Times are text in UTC. Booleans are `true` and `false` in
 * PostgreSQL, `1` and `0` elsewhere; `isTrue` reads both.
 */
export type Cell = string | null;

/** One row by column name. A column that the table does not have is `undefined`. */
export type Row = Readonly<Record<string, Cell | undefined>>;

/**
 * Reads the tables of a database that belongs to another product, and never writes. All reads of one reader see the same
 * snapshot.
 */
export interface TableReader {
  /** The database without credentials, for messages: `PostgreSQL at db.example/litellm`. */
  readonly label: string;
  /** Names as the database has them, such as `LiteLLM_TeamTable`. */
  tables(): Promise<readonly string[]>;
  columns(table: string): Promise<readonly string[]>;
  /** In the order of the primary key, so that two reads give the same order. Empty for a table that does not exist. */
  rows(table: string): AsyncIterable<Row>;
  close(): Promise<void>;
}

/** All rows of a table. */
export async function rowsIn(reader: TableReader, table: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const row of reader.rows(table)) rows.push(row);
  return rows;
}

export function isTrue(cell: unknown): boolean {
  return cell === 'true' || cell === 't' || cell === '1';
}

/** A time in milliseconds. A text without a zone is UTC. `undefined` for an empty or unreadable cell. */
export function timeOf(cell: Cell | undefined): number | undefined {
  if (cell === undefined || cell === null || cell === '') return undefined;
  const text = cell.replace(' ', 'T');
  const hasZone = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text.slice(10));
  const at = Date.parse(hasZone ? text.replace(/([+-]\d\d)$/, '$1:00') : text.includes('T') ? `${text}Z` : text);
  return Number.isNaN(at) ? undefined : at;
}

/** The parsed JSON of a cell. `undefined` for an empty cell or invalid JSON. */
export function jsonOf(cell: Cell | undefined): unknown {
  if (cell === undefined || cell === null || cell === '') return undefined;
  return foreignJson(cell);
}
