import type { Kysely, LogConfig } from 'kysely';
import { systemClock } from '../../core/time/clock.ts';
import { type Commits, commits } from './commits.ts';
import type { Database } from './database.ts';
import { openEmbedded, type ThreadJobs } from './sqlite/embedded.ts';
import { type RunTasks, tasksOn } from './run-tasks.ts';
import type { BeforeReads } from './thread/thread-supervisor.ts';
import { type RunTransaction, transactions } from './transactions.ts';

export interface Store extends Commits {
  readonly db: Kysely<Database>;
  /**
   * Runs the work in one transaction, all of it or nothing. The work may use only the handle that is passed in and must
   * have no other effects: after a collision with another transaction it runs again.
   */
  readonly transaction: RunTransaction;
  /**
   * Only for the embedded store, where a journal on the same disk may acknowledge a commit before the store has it.
   * Once registered, every use of `db` or of a transaction first awaits the given function, so that reads include all
   * acknowledged writes.
   */
  readonly beforeReads?: BeforeReads;
  readonly migrated: readonly string[];
  close(): Promise<void>;
}

/** The folder of the embedded store, created if it is missing, or the address of a PostgreSQL database. */
export type StoreLocation =
  | { readonly data: string; readonly database?: undefined }
  | { readonly database: string; readonly data?: string };

export type StoreOptions = StoreLocation & {
  readonly log?: LogConfig;
  /** Called with the reason while an unreachable database is awaited. */
  readonly onWaiting?: (sentence: string) => void;
  /** How long to wait for an unreachable database. */
  readonly timeoutMs?: number;
  /** Clock of the embedded store; PostgreSQL has its own. */
  readonly now?: () => number;
  /**
   * Gives the embedded store a worker thread for these jobs and all statements, so that the event loop never waits for
   * the disk. A process that opens a store briefly, such as a CLI command, starts faster without it.
   */
  readonly ownThread?: ThreadJobs | undefined;
  readonly statementMs?: number;
  /** Timeout for a connection to PostgreSQL. */
  readonly connectMs?: number;
  /** Called with the duration of each commit, in milliseconds. */
  readonly committed?: ((ms: number) => void) | undefined;
};

/** Opens the store and runs pending migrations. Any number of servers and commands may have the same store open. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { committed } = options;
  const opened = options.database === undefined ? await openEmbedded(options) : await openPostgres(options);
  return storeOn({ ...opened, committed });
}

/** Loads the driver only if PostgreSQL is used. */
async function openPostgres(options: StoreOptions & { readonly database: string }) {
  const { openPostgresDatabase } = await import('./postgres/postgres.ts');
  return openPostgresDatabase(options);
}

interface StoreParts {
  readonly db: Kysely<Database>;
  readonly migrated?: readonly string[];
  /** Runs jobs. Default: through the handle. */
  readonly run?: RunTasks;
  readonly beforeReads?: BeforeReads;
  readonly close?: () => Promise<void>;
  readonly committed?: ((ms: number) => void) | undefined;
}

export function storeOn(parts: StoreParts): Store {
  const { db, migrated = [], run, beforeReads, close = () => db.destroy(), committed } = parts;
  const transaction = transactions(db);
  const tasks = run ?? tasksOn(transaction);
  const store = { db, migrated, close, transaction, ...commits(committed ? timedTasks(tasks, committed) : tasks) };
  return beforeReads ? { ...store, beforeReads } : store;
}

/** Reports the duration of each run in milliseconds, also of a failed run. */
function timedTasks(run: RunTasks, onDuration: (ms: number) => void): RunTasks {
  return async (tasks) => {
    const beganMs = systemClock.elapsed();
    try {
      return await run(tasks);
    } finally {
      onDuration(systemClock.elapsed() - beganMs);
    }
  };
}
