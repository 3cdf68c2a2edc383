import type { Store } from '../src/store/store.ts';

/** A store of which every transaction goes through the test's hands; what is merely read does not. */
export function storeBetween(store: Store, around: <Result>(work: () => Promise<Result>) => Promise<Result>): Store {
  return {
    ...store,
    transaction: (work, options) => around(() => store.transaction(work, options)),
    commit: (job, input) => around(() => store.commit(job, input)),
    commitTogether: (job, input) => around(() => store.commitTogether(job, input)),
  };
}
