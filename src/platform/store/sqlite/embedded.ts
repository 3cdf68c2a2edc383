import { join } from 'node:path';
import { type Dialect, Kysely, type LogConfig } from 'kysely';
import { systemClock } from '../../../core/time/clock.ts';
import { openDataFile, openDataFolder } from '../data-folder.ts';
import type { Database } from '../database.ts';
import { fullDisk } from './full-disk.ts';
import type { JobName } from '../job.ts';
import { migrate } from '../migrate.ts';
import type { RunTasks } from '../run-tasks.ts';
import { openSqlite } from './sqlite-database.ts';
import { sqliteDialect, threadDialect } from './sqlite-dialect.ts';
import { type BeforeReads, ThreadSupervisor } from '../thread/thread-supervisor.ts';

/** The jobs that the store's worker thread must load at its start. */
export interface ThreadJobs {
  readonly jobs: readonly JobName[];
}

interface EmbeddedOptions {
  readonly data: string;
  readonly log?: LogConfig;
  readonly now?: () => number;
  readonly ownThread?: ThreadJobs;
}

/** Opens the SQLite store. Throws a `FullDiskError` if the disk is full, whichever step fails first. */
export async function openEmbedded(options: EmbeddedOptions) {
  try {
    return await openDatabase(options);
  } catch (error) {
    throw fullDisk(options.data, error) ?? error;
  }
}

async function openDatabase({ data, log, now = systemClock.now, ownThread }: EmbeddedOptions) {
  openDataFolder(data);
  const file = join(data, 'gateway.db');
  // SQLite would create the file readable by every user. Its side files inherit the mode of this file.
  openDataFile(file, data);
  const { dialect, ...access } = ownThread ? inThread(file, ownThread, now) : await inProcess(file, now);
  const db = new Kysely<Database>({ dialect, log });
  try {
    return { db, migrated: await migrate(db), close: () => db.destroy(), ...access };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

interface Access {
  readonly dialect: Dialect;
  /** A faster way to run jobs than through the dialect, if there is one. */
  readonly run?: RunTasks;
  readonly beforeReads?: BeforeReads;
}

function inThread(file: string, { jobs }: ThreadJobs, now: () => number): Access {
  const modules = [...new Set(jobs.map(({ module }) => module))];
  const supervisor = new ThreadSupervisor({ file, modules }, now);
  return { dialect: threadDialect(supervisor), run: supervisor.run, beforeReads: supervisor.beforeReads };
}

async function inProcess(file: string, now: () => number): Promise<Access> {
  return { dialect: sqliteDialect(await openSqlite(file, now)) };
}
