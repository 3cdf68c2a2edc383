import type { Clock } from '../core/time/clock.ts';
import type { Store } from '../store/store.ts';
import { libraryTime } from './users.ts';

/** Maximum number of sessions of one user. */
export const sessionsMax = 100;

/** Deletes expired sessions of a user, and the least recently used ones beyond the maximum. */
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
