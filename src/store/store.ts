import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, type LogConfig, type Transaction } from 'kysely';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite-database.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/** Everything the gateway remembers. */
export interface Store {
  readonly db: Kysely<Database>;
  /** Runs the work in one transaction: all of it lands or nothing. Inside, use only the handle that is passed in. */
  transaction<Result>(work: (tx: Transaction<Database>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** The directory of the embedded store; made when it does not exist, readable by its owner only. */
  readonly data: string;
  /** Hears of every statement. */
  readonly log?: LogConfig;
}

/** Opens the store and brings it up to date. A server and any number of commands may have the same one open. */
export async function openStore({ data, log }: StoreOptions): Promise<Store> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const file = join(data, 'gateway.db');
  makePrivate(file);
  const db = new Kysely<Database>({ dialect: sqliteDialect(await openSqlite(file)), log });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    db,
    transaction: (work) => db.transaction().execute(work),
    close: () => db.destroy(),
  };
}

/** SQLite would make the file readable by everyone; its side files take over the mode of this one. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}
