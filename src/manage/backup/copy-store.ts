import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql, type Transaction } from 'kysely';
import { isPepperFile } from '../../platform/secrets/pepper.ts';
import type { Database } from '../../platform/store/database.ts';
import { inspectStore } from '../../platform/store/inspect.ts';
import { addressText } from '../../platform/store/postgres/postgres-address.ts';
import { withPatientPostgres } from '../../platform/store/postgres/postgres.ts';
import { settledAlone } from '../../platform/store/sqlite/sqlite-copy.ts';
import { openStore } from '../../platform/store/store.ts';
import { whileUnreachable } from '../../platform/store/postgres/unreachable.ts';
import { journalFolder, secretFile, storeFile } from './contents.ts';
import { type CopiedTable, copyTable, type TablePair } from './copy-table.ts';
import { namesIn } from './durable-files.ts';
import { BackupError, inUseError } from './read-backup.ts';
import { openSource, type SourceTable, sourcePepper, sourceTables } from './source-tables.ts';
import { filledTable, type TargetTable, targetTables } from './target-tables.ts';

export interface CopyLocations {
  readonly data: string;
  /** The address of an empty PostgreSQL database. */
  readonly database: string;
}

export interface StoreCopyOptions<Verdict> extends CopyLocations {
  readonly onProgress: (progress: CopyProgress) => void;
  readonly onWaiting: (sentence: string) => void;
  /** Checks the copy before it is committed. */
  readonly verify: (tx: Transaction<Database>) => Promise<Verdict>;
}

export interface CopyProgress {
  readonly table: string;
  readonly rows: number;
  readonly of: number;
}

export interface StoreCopy<Verdict> {
  readonly tables: readonly CopiedTable[];
  readonly verdict: Verdict;
  /** The store's secret is the key file of the data folder. */
  readonly hasSecretFile: boolean;
  /** The journal of the data folder has charges that may be missing in the store. */
  readonly hasJournal: boolean;
}

type Handle = Kysely<Database>;

/** The tables that a copy would have now. The store may be in use; nothing is changed on either side. */
export async function planCopy({ data, database }: CopyLocations): Promise<readonly SourceTable[]> {
  await rejectOutdated(data);
  const source = openSource(join(data, storeFile), false);
  try {
    const tables = sourceTables(source);
    const check = () => withPatientPostgres(database, (db) => rejectFilled(db, tables, database));
    await whileUnreachable(check, { place: addressText(database), timeoutMs: 0 });
    return tables;
  } finally {
    source.close();
  }
}

/** Copies a store that is not in use into an empty database, in one transaction: all of it or nothing. */
export async function copyStore<Verdict>(options: StoreCopyOptions<Verdict>): Promise<StoreCopy<Verdict>> {
  const { data, database, onWaiting } = options;
  await planCopy(options);
  const file = join(data, storeFile);
  if (!settledAlone(file)) throw inUseError(data, 'copy');
  const source = openSource(file, true);
  try {
    // Opening the database creates its tables.
    await (await openStore({ database, onWaiting })).close();
    const copied = await withPatientPostgres(database, (db) =>
      db.transaction().execute((tx) => copyAll(source, tx, options)),
    );
    const secret = join(data, secretFile);
    const pepper = sourcePepper(source);
    const hasSecretFile = pepper !== undefined && existsSync(secret) && isPepperFile(secret, pepper);
    return { ...copied, hasSecretFile, hasJournal: await hasJournal(data) };
  } finally {
    source.close();
  }
}

async function copyAll<Verdict>(source: DatabaseSync, tx: Transaction<Database>, options: StoreCopyOptions<Verdict>) {
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const from = sourceTables(source);
  const pairs = pairsOf(from, await targetTables(tx));
  await sql`lock table ${sql.join(pairs.map(({ to }) => sql.table(to.name)))} in access exclusive mode`.execute(tx);
  await rejectFilled(tx, from, options.database);
  const tables: CopiedTable[] = [];
  for (const pair of pairs) tables.push(await copyPair(source, tx, { pair, options }));
  return { tables, verdict: await options.verify(tx) };
}

async function copyPair(
  source: DatabaseSync,
  tx: Handle,
  { pair, options }: { pair: TablePair; options: StoreCopyOptions<unknown> },
): Promise<CopiedTable> {
  const { from } = pair;
  try {
    const copied = await copyTable(source, tx, pair, (rows) =>
      options.onProgress({ table: from.name, rows, of: from.rows }),
    );
    await continueIds(tx, pair);
    return copied;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BackupError(
      `The table ${from.name} could not be copied: ${reason}.`,
      'Nothing was copied: the database is still empty. Fix the cause, then copy again.',
      { cause },
    );
  }
}

/** The next row must not get an id that another row has or had. */
async function continueIds(tx: Handle, { from, to }: TablePair): Promise<void> {
  if (to.identity === undefined || from.lastId === undefined || from.lastId < 1n) return;
  await sql`select setval(pg_get_serial_sequence(${to.name}, ${to.identity}), ${from.lastId})`.execute(tx);
}

/** Throws if PostgreSQL lacks a table, whose rows would otherwise be lost silently. */
function pairsOf(from: readonly SourceTable[], to: readonly TargetTable[]): readonly TablePair[] {
  const byName = new Map(from.map((table) => [table.name, table]));
  const pairs = to.flatMap((table): TablePair[] => {
    const source = byName.get(table.name);
    return source ? [{ from: source, to: table }] : [];
  });
  const missing = from.find(({ name }) => !pairs.some((pair) => pair.from.name === name));
  if (!missing) return pairs;
  throw new BackupError(
    `PostgreSQL has no table ${missing.name}.`,
    'Nothing was copied. Please report this with the version of the gateway.',
  );
}

async function rejectOutdated(data: string): Promise<void> {
  const report = await inspectStore({ data });
  if (!report) throw new BackupError(`There is no store in ${data}.`, 'Set the right folder with --data DIR.');
  if (report.unknown.length > 0) {
    throw new BackupError(`The store in ${data} was used by a newer version.`, 'Copy it with that version.');
  }
  if (report.pending.length === 0) return;
  throw new BackupError(
    `The store in ${data} has pending migrations.`,
    `Migrate it first: chat-gateway migrate --data ${data}`,
  );
}

async function rejectFilled(db: Handle, from: readonly SourceTable[], database: string): Promise<void> {
  const names = new Set(from.map(({ name }) => name));
  const filled = await filledTable(
    db,
    (await targetTables(db)).filter(({ name }) => names.has(name)),
  );
  if (filled === undefined) return;
  throw new BackupError(
    `${addressText(database)} is not empty: its table ${filled} has rows.`,
    'Use an empty database (createdb NAME creates one). Nothing was changed.',
  );
}

async function hasJournal(data: string): Promise<boolean> {
  return (await namesIn(join(data, journalFolder))).some((name) => name.endsWith('.jsonl'));
}
