import type { Kysely } from 'kysely';
import { capSpans } from '../core/cap-period.ts';
import { defaultTimeZone } from '../core/calendar-day.ts';
import type { Database } from '../store/database.ts';
import { databaseNow } from '../store/engine.ts';

/** How often somebody hears how things go. */
export const cadences = ['day', 'week'] as const;

export type Cadence = (typeof cadences)[number];

/** What a digest is about: one account, for those who get its letters; or the whole gateway, for one operator. */
export type DigestOf = { readonly accountId: string } | { readonly operatorId: string };

/** By the clocks that count it is sent six hours after the day or week it tells of: late charges are in it, and it is morning. */
const afterMs = 6 * 3_600_000;

type Handle = Kysely<Database>;

export async function cadenceOf(db: Handle, of: DigestOf): Promise<Cadence | undefined> {
  const row = db.selectFrom('digests').select('cadence').where('subject', '=', subjectOf(of));
  return (await row.executeTakeFirst())?.cadence;
}

/** Sets how often; nothing: never. The first one tells of the day or week that it is chosen in. */
export async function setCadence(db: Handle, of: DigestOf, cadence: Cadence | undefined): Promise<void> {
  if ((await cadenceOf(db, of)) === cadence) return;
  await db.deleteFrom('digests').where('subject', '=', subjectOf(of)).execute();
  if (cadence === undefined) return;
  const [account_id, user_id] = 'accountId' in of ? [of.accountId, null] : [null, of.operatorId];
  const { now } = await db.selectNoFrom(databaseNow(db).as('now')).executeTakeFirstOrThrow();
  const { until, dueAt } = turnAt({ cadence, timeZone: await zoneOf(db, account_id), now });
  await db
    .insertInto('digests')
    .values({ subject: subjectOf(of), account_id, user_id, cadence, since: until, due_at: dueAt })
    .execute();
}

/** The last day or week that can be told of ended at `until`; the next can be told of from `dueAt` on. */
export function turnAt({ cadence, timeZone, now }: DigestRun): { readonly until: number; readonly dueAt: number } {
  const span = spanAt({ period: cadence, timeZone }, now - afterMs);
  return { until: span.since, dueAt: span.until + afterMs };
}

interface DigestRun {
  readonly cadence: Cadence;
  readonly timeZone: string;
  readonly now: number;
}

const spanAt = capSpans();

/** By whose clocks; the gateway's own are in UTC. */
export async function zoneOf(db: Handle, accountId: string | null): Promise<string> {
  if (accountId === null) return defaultTimeZone;
  const row = await db.selectFrom('accounts').select('time_zone').where('id', '=', accountId).executeTakeFirst();
  return row?.time_zone ?? defaultTimeZone;
}

function subjectOf(of: DigestOf): string {
  return 'accountId' in of ? `account ${of.accountId}` : `operator ${of.operatorId}`;
}
