import type { Kysely } from 'kysely';
import { calendarSpans } from '../../../core/time/cap-period.ts';
import { defaultTimeZone } from '../../../core/time/calendar-day.ts';
import type { Database } from '../../../platform/store/database.ts';
import { readDatabaseTime } from '../../../platform/store/engine.ts';

export type Cadence = 'day' | 'week';

/** The scope of a digest: one account, for the recipients of its e-mails; or the whole gateway, for one operator. */
export type DigestScope = { readonly accountId: string } | { readonly operatorId: string };

/** Six hours after its day or week ends, in its time zone: late charges are included, and it is morning. */
const sendDelayMs = 6 * 3_600_000;

type Handle = Kysely<Database>;

export async function cadenceOf(db: Handle, scope: DigestScope): Promise<Cadence | undefined> {
  const row = db.selectFrom('digests').select('cadence').where('subject', '=', digestSubject(scope));
  return (await row.executeTakeFirst())?.cadence;
}

/** Sets the cadence. `undefined`: no digests. The first digest covers the day or week in which it was chosen. */
export async function setCadence(db: Handle, scope: DigestScope, cadence: Cadence | undefined): Promise<void> {
  if ((await cadenceOf(db, scope)) === cadence) return;
  await db.deleteFrom('digests').where('subject', '=', digestSubject(scope)).execute();
  if (cadence === undefined) return;
  const [account_id, user_id] = 'accountId' in scope ? [scope.accountId, null] : [null, scope.operatorId];
  const now = await readDatabaseTime(db);
  const { until, dueAt } = periodAt({ cadence, timeZone: await zoneOf(db, account_id), now });
  await db
    .insertInto('digests')
    .values({ subject: digestSubject(scope), account_id, user_id, cadence, since: until, due_at: dueAt })
    .execute();
}

/** The last period that can be reported ended at `until`. The next can be reported from `dueAt` on. */
export function periodAt({ cadence, timeZone, now }: DigestRun): { readonly until: number; readonly dueAt: number } {
  const span = spanAt({ period: cadence, timeZone }, now - sendDelayMs);
  return { until: span.since, dueAt: span.until + sendDelayMs };
}

interface DigestRun {
  readonly cadence: Cadence;
  readonly timeZone: string;
  readonly now: number;
}

const spanAt = calendarSpans();

/** The time zone of an account; UTC for the whole gateway. */
export async function zoneOf(db: Handle, accountId: string | null): Promise<string> {
  if (accountId === null) return defaultTimeZone;
  const row = await db.selectFrom('accounts').select('time_zone').where('id', '=', accountId).executeTakeFirst();
  return row?.time_zone ?? defaultTimeZone;
}

function digestSubject(scope: DigestScope): string {
  return 'accountId' in scope ? `account ${scope.accountId}` : `operator ${scope.operatorId}`;
}
