import type { Kysely } from 'kysely';
import { commits } from './commits.ts';
import type { Database } from './database.ts';
import { type RunTasks, tasksOn } from './run-tasks.ts';
import type { Store } from './store.ts';
import { transactions } from './transactions.ts';

export interface StoreParts {
  readonly db: Kysely<Database>;
  readonly migrated?: readonly string[];
  /** Where jobs are run; through the handle, if nobody has a shorter way. */
  readonly run?: RunTasks;
  readonly close?: () => Promise<void>;
}

/** A store from a handle on its tables. */
export function storeOn({ db, migrated = [], run, close = () => db.destroy() }: StoreParts): Store {
  const transaction = transactions(db);
  return { db, migrated, close, transaction, ...commits(run ?? tasksOn(transaction)) };
}
