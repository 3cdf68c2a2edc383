import { userById } from '../../money/accounts/users.ts';
import { isoTime } from '../admin/api/wire.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Mailer } from '../../operate/notifications/email/mailer.ts';
import type { Kysely } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import { browserOf, networkOf } from './throttle/known-locations.ts';

export interface SignInEvent {
  readonly userId: string;
  readonly address?: string | undefined;
  readonly device?: string | undefined;
  /** The browser sent the cookie of an earlier sign-in of this user. */
  readonly isKnownBrowser: boolean;
  /** Of the request, for the link. */
  readonly host?: string;
}

interface SignInAlertParts {
  readonly clock: Clock;
  readonly mail: Pick<Mailer, 'post'>;
}

/** A location is deleted after this time without a sign-in. */
const rememberedMs = 180 * 86_400_000;
/** For each user. Beyond it, the oldest locations are deleted and count as new again. */
const locationsMax = 50;

/**
 * Sends an e-mail to a user who signed in from a new location: the browser has no cookie of an earlier sign-in, and no
 * browser of this family and system signed in from this network before. The first location of a user causes no e-mail.
 * Call it in the transaction that records the sign-in.
 */
export async function alertSignIn(
  tx: Kysely<Database>,
  { clock, mail }: SignInAlertParts,
  event: SignInEvent,
): Promise<void> {
  const { userId, address = '', device, isKnownBrowser, host } = event;
  const { browser, system } = browserOf(device);
  const location = `${networkOf(address)} ${browser} ${system}`;
  const at = clock.now();
  const isNew = await remember(tx, { userId, location, at });
  if (isKnownBrowser || !isNew || !(await hasOtherLocation(tx, { userId, location, at }))) return;
  const user = await userById(tx, userId);
  if (!user?.isVerified) return;
  const subject = { kind: 'new-location', address, browser, system, at: isoTime(at) } as const;
  const order = { to: user.email, subject, path: '/app/settings/security', language: user.language };
  await mail.post(tx, { ...order, ...(host !== undefined && { address: { host } }) });
}

interface SignInLocation {
  readonly userId: string;
  readonly location: string;
  readonly at: number;
}

async function hasOtherLocation(tx: Kysely<Database>, { userId, location, at }: SignInLocation): Promise<boolean> {
  const rows = tx.selectFrom('console_locations').select('location').where('user_id', '=', userId);
  const other = rows.where('location', '!=', location).where('seen_at', '>', at - rememberedMs);
  return (await other.executeTakeFirst()) !== undefined;
}

/** Returns whether the location is new. Of several sign-ins at once, one gets true: the others wait for its row. */
async function remember(tx: Kysely<Database>, { userId, location, at }: SignInLocation): Promise<boolean> {
  const inserted = await tx
    .insertInto('console_locations')
    .values({ user_id: userId, location, seen_at: at })
    .onConflict((row) =>
      row
        .columns(['user_id', 'location'])
        .doUpdateSet({ seen_at: at })
        .where('console_locations.seen_at', '<=', at - rememberedMs),
    )
    .returning('location')
    .executeTakeFirst();
  const own = tx.updateTable('console_locations').set({ seen_at: at });
  if (!inserted) await own.where('user_id', '=', userId).where('location', '=', location).execute();
  await deleteOldLocations(tx, userId, at);
  return inserted !== undefined;
}

async function deleteOldLocations(tx: Kysely<Database>, userId: string, at: number): Promise<void> {
  const own = tx.selectFrom('console_locations').select('location').where('user_id', '=', userId);
  const kept = own
    .where('seen_at', '>', at - rememberedMs)
    .orderBy('seen_at', 'desc')
    .limit(locationsMax);
  await tx.deleteFrom('console_locations').where('user_id', '=', userId).where('location', 'not in', kept).execute();
}
