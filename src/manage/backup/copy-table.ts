import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import { storableText } from '../../platform/store/job.ts';
import { type SourceTable, sourceRows } from './source-tables.ts';
import type { TargetTable } from './target-tables.ts';
import { createHash } from 'node:crypto';

export interface TablePair {
  readonly from: SourceTable;
  readonly to: TargetTable;
}

export interface CopiedTable {
  readonly name: string;
  readonly rows: number;
  /** Checksum over the values of all rows; the same on both sides. */
  readonly checksum: string;
}

const rowsPerStatement = 1000;
const charactersPerStatement = 4 * 1024 * 1024;

/** Copies all rows, reads the written rows back, and compares the checksums. Throws if they differ. */
export async function copyTable(
  source: DatabaseSync,
  tx: Kysely<Database>,
  pair: TablePair,
  onRows: (rows: number) => void,
): Promise<CopiedTable> {
  const { name } = pair.from;
  const read = rowSum();
  let batch: (readonly CellText[])[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await insertRows(tx, pair, batch);
    batch = [];
    characters = 0;
    onRows(read.rows);
  };
  for (const row of sourceRows(source, pair.from)) {
    const cells = pair.from.columns.map((column) => cellText(pair.to.columns.get(column), row[column]));
    read.add(cells);
    batch.push(cells);
    for (const cell of cells) characters += cell?.length ?? 0;
    if (batch.length >= rowsPerStatement || characters >= charactersPerStatement) await flush();
  }
  await flush();
  const written = await writtenSum(tx, pair);
  if (written.rows === read.rows && written.hex === read.hex) return { name, rows: read.rows, checksum: read.hex };
  throw new Error(`${read.rows} rows were read (checksum ${read.hex}), ${written.rows} arrived (${written.hex})`);
}

/** A value in PostgreSQL's text format for a column of this type. */
function cellText(type: string | undefined, value: unknown): CellText {
  if (value === null || value === undefined) return null;
  if (type === timeType) return timeText(value);
  if (type === 'boolean') return value === 0n ? 'false' : 'true';
  return typeof value === 'string' ? storableText(value) : numberText(value);
}

function numberText(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  throw new Error('the table has a value that is neither text nor a number');
}

const timeType = 'timestamp with time zone';

/** The embedded store has ISO text; PostgreSQL rejects any other text. */
function timeText(value: unknown): string {
  const text = typeof value === 'string' ? value : numberText(value);
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** One statement for any number of rows: each parameter is a column of the rows. */
async function insertRows(
  tx: Kysely<Database>,
  { from, to }: TablePair,
  rows: readonly (readonly CellText[])[],
): Promise<void> {
  const columns = sql.join(from.columns.map((name) => sql.ref(name)));
  const typed = from.columns.map((name) => sql`${sql.ref(name)}::${sql.raw(typeOf(to, name))}`);
  const values = from.columns.map((_name, index) => sql`${rows.map((row) => row[index] ?? null)}::text[]`);
  await sql`insert into ${sql.table(to.name)} (${columns}) overriding system value
    select ${sql.join(typed)} from unnest(${sql.join(values)}) as rows(${columns})`.execute(tx);
}

function typeOf({ name, columns }: TargetTable, column: string): string {
  const type = columns.get(column);
  if (type === undefined) throw new Error(`PostgreSQL has no column ${column} in ${name}`);
  return type;
}

const rowsPerFetch = 1000;

async function writtenSum(tx: Kysely<Database>, { from, to }: TablePair): Promise<ReturnType<typeof rowSum>> {
  const texts = from.columns.map(
    (name, index) => sql`${asText(name, to.columns.get(name))} as ${sql.ref(`c${index}`)}`,
  );
  await sql`declare written cursor for select ${sql.join(texts)} from ${sql.table(to.name)}`.execute(tx);
  const sum = rowSum();
  for (;;) {
    const { rows } = await sql<Record<string, string | null>>`fetch ${sql.lit(rowsPerFetch)} from written`.execute(tx);
    for (const row of rows) sum.add(from.columns.map((_name, index) => row[`c${index}`] ?? null));
    if (rows.length < rowsPerFetch) break;
  }
  await sql`close written`.execute(tx);
  return sum;
}

function asText(name: string, type: string | undefined): RawBuilder<unknown> {
  return type === timeType
    ? sql`to_char(${sql.ref(name)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`${sql.ref(name)}::text`;
}

/** A value as compared between the engines: text or null. */
type CellText = string | null;

const bits = 128n;
const limit = 1n << bits;

/** A checksum over rows in any order, because the two engines may sort text differently. */
function rowSum() {
  let rows = 0;
  let sum = 0n;
  return {
    add(row: readonly CellText[]): void {
      const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 32);
      sum = (sum + BigInt(`0x${digest}`)) % limit;
      rows += 1;
    },
    get rows() {
      return rows;
    },
    get hex() {
      return sum.toString(16).padStart(32, '0');
    },
  };
}
