import { userById } from '../accounts/users.ts';
import { isoTime } from '../admin/wire.ts';
import type { Clock } from '../core/clock.ts';
import type { Mailer } from '../deliveries/mailer.ts';
import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import { browserOf, networkOf } from './known-locations.ts';

/** Someone has signed in. */
export interface Arrived {
  readonly userId: string;
  readonly address?: string | undefined;
  readonly device?: string | undefined;
  /** The browser brought the mark of an earlier sign-in of theirs. */
  readonly isKnownBrowser: boolean;
  readonly calledAt?: { readonly host: string; readonly url: string };
}

interface SignInAlertParts {
  readonly clock: Clock;
  readonly mail: Pick<Mailer, 'post'>;
}

/** A place is forgotten when nobody signed in from there for so long. */
const rememberedMs = 180 * 86_400_000;
/** Of one person; whoever is everywhere is told of every new place. */
const placesMax = 50;

/**
 * Writes to people who signed in from a new place: neither is the browser known by its mark, nor did a browser of that family
 * sign in from that network before. The first place of all is nobody's news. Belongs into the transaction that notes the sign-in.
 */
export async function alertSignIn(
  tx: Kysely<Database>,
  { clock, mail }: SignInAlertParts,
  arrived: Arrived,
): Promise<void> {
  const { userId, address = '', device, isKnownBrowser, calledAt } = arrived;
  const { browser, system } = browserOf(device);
  const place = `${networkOf(address)} ${browser} ${system}`;
  const at = clock.now();
  const isNew = await remember(tx, { userId, place, at });
  if (isKnownBrowser || !isNew || !(await hasOtherPlace(tx, { userId, place, at }))) return;
  const user = await userById(tx, userId);
  if (!user?.isVerified) return;
  const subject = { kind: 'new-location', address, browser, system, at: isoTime(at) } as const;
  const order = { to: user.email, subject, path: '/app/settings/security', language: user.language };
  await mail.post(tx, { ...order, ...(calledAt && { address: calledAt }) });
}

interface SignInLocation {
  readonly userId: string;
  readonly place: string;
  readonly at: number;
}

async function hasOtherPlace(tx: Kysely<Database>, { userId, place, at }: SignInLocation): Promise<boolean> {
  const rows = tx.selectFrom('console_places').select('place').where('user_id', '=', userId);
  const other = rows.where('place', '!=', place).where('seen_at', '>', at - rememberedMs);
  return (await other.executeTakeFirst()) !== undefined;
}

/** Says whether the place is new. Of several sign-ins at once from there it is new to one: the others wait for its row. */
async function remember(tx: Kysely<Database>, { userId, place, at }: SignInLocation): Promise<boolean> {
  const added = await tx
    .insertInto('console_places')
    .values({ user_id: userId, place, seen_at: at })
    .onConflict((row) =>
      row
        .columns(['user_id', 'place'])
        .doUpdateSet({ seen_at: at })
        .where('console_places.seen_at', '<=', at - rememberedMs),
    )
    .returning('place')
    .executeTakeFirst();
  const own = tx.updateTable('console_places').set({ seen_at: at });
  if (!added) await own.where('user_id', '=', userId).where('place', '=', place).execute();
  await forgetPlaces(tx, userId, at);
  return added !== undefined;
}

async function forgetPlaces(tx: Kysely<Database>, userId: string, at: number): Promise<void> {
  const own = tx.selectFrom('console_places').select('place').where('user_id', '=', userId);
  const kept = own
    .where('seen_at', '>', at - rememberedMs)
    .orderBy('seen_at', 'desc')
    .limit(placesMax);
  await tx.deleteFrom('console_places').where('user_id', '=', userId).where('place', 'not in', kept).execute();
}
