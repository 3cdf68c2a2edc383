import type { Clock } from '../core/clock.ts';
import { type DeletionRounds, deletionRounds } from '../store/deletion-rounds.ts';
import type { Store } from '../store/store.ts';
import { deleteOlderBodies } from './stored-bodies.ts';

interface BodyRetentionParts {
  readonly store: Store;
  readonly clock: Clock;
  /** 0 where none are stored any more: then all of them go. */
  readonly keepMs: () => number;
}

/** Deletes bodies that are older than the operator wants them kept. */
export function bodyRetention({ store, clock, keepMs }: BodyRetentionParts): DeletionRounds {
  return deletionRounds({ store, what: 'bodies' }, [() => deleteOlderBodies(store, clock.now() - keepMs())]);
}
