import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { engineOf } from './engine.ts';
import { runWithin } from './run-tasks.ts';
import type { Store } from './store.ts';
import { takeLock } from './transactions.ts';

/** The store inside a running transaction: nested transactions and commits join it, all or nothing. */
export function joined(store: Store, tx: Transaction<Database>): Store {
  const transaction: Store['transaction'] = async (work, { lock } = {}) => {
    if (lock !== undefined && engineOf(tx) === 'postgres') await takeLock(tx, lock);
    return work(tx);
  };
  const commit: Store['commit'] = (job, input) => runWithin(tx, job, input);
  return { ...store, db: tx, transaction, commit, commitTogether: commit, close: () => Promise.resolve() };
}
