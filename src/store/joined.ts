import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { Store } from './store.ts';

/**
 * The store as it is seen from inside a running transaction: whatever would begin one of its own joins this one, so that
 * changes of several kinds land together or not at all.
 */
export function joined(store: Store, tx: Transaction<Database>): Store {
  return { ...store, db: tx, transaction: (work) => work(tx), close: () => Promise.resolve() };
}
