import type { Store } from '../../src/platform/store/store.ts';

/** Wraps a store, so that `around` intercepts every transaction. Plain reads are not intercepted. */
export function storeBetween(store: Store, around: <Result>(work: () => Promise<Result>) => Promise<Result>): Store {
  return {
    ...store,
    transaction: (work, options) => around(() => store.transaction(work, options)),
    commit: (job, input) => around(() => store.commit(job, input)),
    commitTogether: (job, input) => around(() => store.commitTogether(job, input)),
  };
}
