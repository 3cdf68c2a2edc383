import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';

/** Returns whether it changed: true for exactly one of several processes. Without a row it is `initial`. */
export async function setAlertState(
  db: Kysely<Database>,
  { subject, state, initial }: { readonly subject: string; readonly state: string; readonly initial: string },
): Promise<boolean> {
  if (state === initial) return clearAlertState(db, subject);
  const changed = await db
    .insertInto('alert_states')
    .values({ subject, state, since: databaseNow(db) })
    .onConflict((row) =>
      row
        .column('subject')
        .doUpdateSet({ state, since: databaseNow(db) })
        .where('alert_states.state', '!=', state),
    )
    .returning('subject')
    .executeTakeFirst();
  return changed !== undefined;
}

/** Resets a subject to its initial state. Returns whether it had another one. */
export async function clearAlertState(db: Kysely<Database>, subject: string): Promise<boolean> {
  const gone = await db.deleteFrom('alert_states').where('subject', '=', subject).executeTakeFirst();
  return gone.numDeletedRows > 0n;
}
