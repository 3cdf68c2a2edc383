import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { libraryTime } from './users.ts';

/** Places where one user may be signed in at once; whoever is signed in at more has forgotten the oldest. */
export const sessionsMax = 100;

/** Deletes those sessions of a user that have ended, and the least used ones beyond what one may have. */
export async function trimSessions(store: Store, clock: Clock, userId: string): Promise<void> {
  const kept = store.db
    .selectFrom('console_sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('expires_at', '>', libraryTime(store.db, clock.now()))
    .orderBy('updated_at', 'desc')
    .limit(sessionsMax);
  await store.db.deleteFrom('console_sessions').where('user_id', '=', userId).where('id', 'not in', kept).execute();
}
