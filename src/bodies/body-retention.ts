import type { Clock } from '../core/clock.ts';
import { type DeletionRounds, periodicDeletion, type DeletionError } from '../store/periodic-deletion.ts';
import type { Store } from '../store/store.ts';
import { forgetDeletions } from './deleted-bodies.ts';
import { bodyRows } from './stored-bodies.ts';

interface BodyRetentionParts {
  readonly store: Store;
  readonly clock: Clock;
  /** 0 if bodies are no longer stored: then all of them are deleted. */
  readonly keepMs: () => number;
  readonly onError: DeletionError;
}

/** Deletes bodies after their configured retention. */
export function bodyRetention({ store, clock, keepMs, onError }: BodyRetentionParts): DeletionRounds {
  const before = (): number => clock.now() - keepMs();
  return periodicDeletion({ store, what: 'bodies', onError }, [
    () => bodyRows.deleteOlder(store, before()),
    async () => {
      await forgetDeletions(store, before());
      return false;
    },
  ]);
}
