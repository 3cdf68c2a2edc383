import type { Clock } from '../core/clock.ts';
import { type DeletionRounds, periodicDeletion, type DeletionError } from '../store/periodic-deletion.ts';
import type { Store } from '../store/store.ts';
import { responseRows } from './kept-responses.ts';

interface ResponseRetentionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly keepMs: () => number;
  readonly onError: DeletionError;
}

/** Deletes responses after their configured retention. */
export function responseRetention({ store, clock, keepMs, onError }: ResponseRetentionOptions): DeletionRounds {
  return periodicDeletion({ store, what: 'responses', onError }, [
    () => responseRows.deleteOlder(store, clock.now() - keepMs()),
  ]);
}
