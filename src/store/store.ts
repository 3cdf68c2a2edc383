import type { Kysely, LogConfig } from 'kysely';
import { type Commits, commits } from './commits.ts';
import type { Database } from './database.ts';
import { openEmbedded, type ThreadJobs } from './embedded.ts';
import { type RunTasks, tasksOn } from './run-tasks.ts';
import type { BeforeReads } from './thread-lives.ts';
import { timedTasks } from './timed-tasks.ts';
import { type RunTransaction, transactions } from './transactions.ts';

/** Everything the gateway remembers. */
export interface Store extends Commits {
  readonly db: Kysely<Database>;
  /**
   * Runs the work in one transaction: all of it lands or nothing. Inside, use only the handle that is passed in, and do
   * nothing else: work that collided with another's is run again.
   */
  readonly transaction: RunTransaction;
  /**
   * Where the store is a file on our own disk something else on that disk may stand in for a commit. From now on whoever
   * uses `db` or a transaction waits first for what this returns, so that nobody misses what was promised before.
   */
  readonly beforeReads?: BeforeReads;
  /** The migrations that opening it ran. */
  readonly migrated: readonly string[];
  close(): Promise<void>;
}

/** Where a store is: the folder of the embedded one, made when it does not exist, or the address of a PostgreSQL database. */
export type StorePlace =
  | { readonly data: string; readonly database?: undefined }
  | { readonly database: string; readonly data?: string };

export type StoreOptions = StorePlace & {
  /** Hears of every statement. */
  readonly log?: LogConfig;
  /** Hears what a database that is out of reach is waited for. */
  readonly onWaiting?: (sentence: string) => void;
  /** How long a database that is out of reach is waited for. */
  readonly timeoutMs?: number;
  /** The clock of the embedded store; PostgreSQL has one of its own. */
  readonly now?: () => number;
  /**
   * Gives the embedded store a thread of its own for these jobs and everything else, so that nobody waits for the disk but
   * who asks it. What opens a store for a moment, such as a command, begins sooner without.
   */
  readonly ownThread?: ThreadJobs | undefined;
  /** How long PostgreSQL may take for one statement. */
  readonly statementMs?: number;
  /** How long one may wait for a connection to PostgreSQL. */
  readonly connectMs?: number;
  /** Hears how long each commit took, in milliseconds. */
  readonly committed?: ((ms: number) => void) | undefined;
};

/** Opens the store and brings it up to date. Any number of servers and commands may have the same one open. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { committed } = options;
  const opened = options.database === undefined ? await openEmbedded(options) : await openPostgres(options);
  return storeOn({ ...opened, committed });
}

/** The driver is loaded only by those who need it. */
async function openPostgres(options: StoreOptions & { readonly database: string }) {
  const { openPostgresDatabase } = await import('./postgres.ts');
  return openPostgresDatabase(options);
}

interface StoreParts {
  readonly db: Kysely<Database>;
  readonly migrated?: readonly string[];
  /** Where jobs are run; through the handle, if nobody has a shorter way. */
  readonly run?: RunTasks;
  readonly beforeReads?: BeforeReads;
  readonly close?: () => Promise<void>;
  readonly committed?: ((ms: number) => void) | undefined;
}

/** A store from a handle on its tables. */
export function storeOn(parts: StoreParts): Store {
  const { db, migrated = [], run, beforeReads, close = () => db.destroy(), committed } = parts;
  const transaction = transactions(db);
  const tasks = run ?? tasksOn(transaction);
  const store = { db, migrated, close, transaction, ...commits(committed ? timedTasks(tasks, committed) : tasks) };
  return beforeReads ? { ...store, beforeReads } : store;
}
