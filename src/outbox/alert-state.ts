import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';

/**
 * Notes how a thing stands, and says whether it stood otherwise before. However many processes see the same change, one
 * of them is told yes: it is one statement on one row. A thing that nobody ever spoke of stands as `initial`.
 */
export async function becomes(
  db: Kysely<Database>,
  { subject, state, initial }: { readonly subject: string; readonly state: string; readonly initial: string },
): Promise<boolean> {
  if (state === initial) return forget(db, subject);
  const changed = await db
    .insertInto('standings')
    .values({ subject, state, since: databaseNow(db) })
    .onConflict((row) =>
      row
        .column('subject')
        .doUpdateSet({ state, since: databaseNow(db) })
        .where('standings.state', '!=', state),
    )
    .returning('subject')
    .executeTakeFirst();
  return changed !== undefined;
}

/** Whatever was said of it is over. Says whether anything was. */
export async function forget(db: Kysely<Database>, subject: string): Promise<boolean> {
  const gone = await db.deleteFrom('standings').where('subject', '=', subject).executeTakeFirst();
  return gone.numDeletedRows > 0n;
}
