import type { Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';

/** What is deleted on demand, of which key, and when. */
export interface Deletion {
  /** A request, or the key itself with all that was asked with it until then. */
  readonly subject: string;
  readonly keyId: string | undefined;
  readonly at: number;
}

/**
 * Remembers what was deleted on demand, for as long as bodies are kept: some of it may still be on its way to the store,
 * or be stored again by a process that never heard that it was.
 *
 * Who deletes has the key's row alone, who stores has it with others that store (`storing-job`): so either sees all
 * that the other did before it.
 */
export async function noteDeletion(tx: Transaction<Database>, { subject, keyId, at }: Deletion): Promise<void> {
  if (keyId !== undefined && engineOf(tx) === 'postgres') {
    await tx.selectFrom('api_keys').select('id').where('id', '=', keyId).forUpdate().execute();
  }
  await tx
    .insertInto('deleted_bodies')
    .values({ subject, deleted_at: at })
    .onConflict((row) => row.column('subject').doUpdateSet({ deleted_at: at }))
    .execute();
}

/** Forgets deletions before that, when nothing that old is shown any more. */
export async function forgetDeletions({ db }: Store, before: number): Promise<void> {
  await db.deleteFrom('deleted_bodies').where('deleted_at', '<=', before).execute();
}
