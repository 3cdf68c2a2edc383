import type { Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';

/** A deletion on demand. */
export interface Deletion {
  /** A request, or a key: then the bodies of all its requests until then. */
  readonly subject: string;
  readonly keyId: string | undefined;
  readonly at: number;
}

/**
 * Records a deletion on demand for as long as bodies are kept. Deleted bodies may still wait in a process to be stored,
 * or be stored again by a process whose commit was not confirmed. The deletion locks the key's row exclusively, and
 * storing locks it shared (`storing-job`). So each sees all that the other committed before it.
 */
export async function recordDeletion(tx: Transaction<Database>, { subject, keyId, at }: Deletion): Promise<void> {
  if (keyId !== undefined && engineOf(tx) === 'postgres') {
    await tx.selectFrom('api_keys').select('id').where('id', '=', keyId).forUpdate().execute();
  }
  await tx
    .insertInto('deleted_bodies')
    .values({ subject, deleted_at: at })
    .onConflict((row) => row.column('subject').doUpdateSet({ deleted_at: at }))
    .execute();
}

/** Removes the records of deletions before this time, when bodies that old are no longer shown. */
export async function forgetDeletions({ db }: Store, before: number): Promise<void> {
  await db.deleteFrom('deleted_bodies').where('deleted_at', '<=', before).execute();
}
