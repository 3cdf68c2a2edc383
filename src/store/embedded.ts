import { join } from 'node:path';
import { Kysely, type LogConfig } from 'kysely';
import { openDataFile, openDataFolder } from './data-folder.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite-database.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

interface EmbeddedOptions {
  readonly data: string;
  readonly log?: LogConfig;
  readonly now?: () => number;
}

/** The store in a file of ours, readable by its owner only. */
export async function openEmbedded({ data, log, now }: EmbeddedOptions) {
  openDataFolder(data);
  const file = join(data, 'gateway.db');
  // SQLite would make the file readable by everyone; its side files take over the mode of this one.
  openDataFile(file, data);
  const db = new Kysely<Database>({ dialect: sqliteDialect(await openSqlite(file, now)), log });
  try {
    return { db, migrated: await migrate(db), close: () => db.destroy() };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
