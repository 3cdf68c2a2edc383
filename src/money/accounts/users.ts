import type { Kysely, Selectable } from 'kysely';
import type { Language } from 'chat-formats/reasons/text.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import { engineOf } from '../../platform/store/engine.ts';
import { randomBase62 } from './base62.ts';
import type { Store } from '../../platform/store/store.ts';

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly hasTwoFactor: boolean;
  /** Language of e-mails to the user. `undefined`: unknown. */
  readonly language: Language | undefined;
  readonly isVerified: boolean;
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
  /** `undefined`: the user sets one with a reset link. */
  readonly passwordHash?: string | undefined;
  readonly isVerified: boolean;
  readonly language?: Language | undefined;
}

type Handle = Kysely<Database>;

export async function userByEmail(db: Handle, email: string): Promise<User | undefined> {
  const users = db.selectFrom('console_users').selectAll();
  const row = await users.where('email', '=', email.toLowerCase()).executeTakeFirst();
  return row && userFrom(row);
}

export async function userById(db: Handle, id: string): Promise<User | undefined> {
  const row = await db.selectFrom('console_users').selectAll().where('id', '=', id).executeTakeFirst();
  return row && userFrom(row);
}

/** Creates a user. The address must not be in use. */
export async function createUser(db: Handle, clock: Clock, user: NewUser): Promise<User> {
  const now = libraryTime(db, clock.now());
  const row = {
    id: `usr_${randomBase62(16)}`,
    email: user.email.toLowerCase(),
    name: user.name,
    email_verified: libraryTruth(db, user.isVerified),
    two_factor_enabled: libraryTruth(db, false),
    language: user.language ?? null,
    created_at: now,
    updated_at: now,
  };
  await db.insertInto('console_users').values(row).execute();
  const { passwordHash } = user;
  if (passwordHash !== undefined) await setPassword(db, clock, { userId: row.id, passwordHash });
  return userFrom(row);
}

/** Replaces the password, or adds one to a user without a password. */
export async function setPassword(
  db: Handle,
  clock: Clock,
  { userId, passwordHash }: { readonly userId: string; readonly passwordHash: string },
): Promise<void> {
  const now = libraryTime(db, clock.now());
  const changed = await db
    .updateTable('console_credentials')
    .set({ password: passwordHash, updated_at: now })
    .where('user_id', '=', userId)
    .where('provider_id', '=', passwordProvider)
    .executeTakeFirst();
  if (changed.numUpdatedRows > 0n) return;
  const own = { id: `crd_${randomBase62(16)}`, user_id: userId, account_id: userId, provider_id: passwordProvider };
  const row = { ...own, password: passwordHash, created_at: now, updated_at: now };
  await db.insertInto('console_credentials').values(row).execute();
}

/** Replaces a hash, unless the password was changed meanwhile. */
export async function replaceHash(
  db: Handle,
  clock: Clock,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<void> {
  await db
    .updateTable('console_credentials')
    .set({ password: after, updated_at: libraryTime(db, clock.now()) })
    .where('password', '=', before)
    .execute();
}

/** False for a user who signs in by single sign-on only. */
export async function hasPassword(db: Handle, userId: string): Promise<boolean> {
  const own = db.selectFrom('console_credentials').select('id').where('user_id', '=', userId);
  return (await own.where('provider_id', '=', passwordProvider).executeTakeFirst()) !== undefined;
}

export async function renameUser(
  db: Handle,
  clock: Clock,
  { userId, name }: { readonly userId: string; readonly name: string },
): Promise<void> {
  const changed = { name, updated_at: libraryTime(db, clock.now()) };
  await db.updateTable('console_users').set(changed).where('id', '=', userId).execute();
}

export async function markVerified(db: Handle, userId: string): Promise<void> {
  const verified = { email_verified: libraryTruth(db, true) };
  await db.updateTable('console_users').set(verified).where('id', '=', userId).execute();
}

/**
 * Another person could choose the password of this user: the address counts as unconfirmed. Single sign-on has to link
 * the user again, which removes the password.
 */
export async function markUnverified(db: Handle, userId: string): Promise<void> {
  const own = db.deleteFrom('console_credentials').where('user_id', '=', userId);
  await own.where('provider_id', '<>', passwordProvider).execute();
  const unverified = { email_verified: libraryTruth(db, false) };
  await db.updateTable('console_users').set(unverified).where('id', '=', userId).execute();
}

/** Removes every way to sign in: the reader of the address did not choose them. */
export async function forgetUnverified(db: Handle, userId: string): Promise<void> {
  if ((await userById(db, userId))?.isVerified !== false) return;
  await forgetSignIns(db, userId);
  await db.deleteFrom('console_credentials').where('user_id', '=', userId).execute();
}

export async function setLanguage(db: Handle, userId: string, language: Language): Promise<void> {
  await db.updateTable('console_users').set({ language }).where('id', '=', userId).execute();
}

/** The language of the user with this address. `undefined` if there is no such user, or no language is set. */
export async function languageAt(db: Handle, email: string): Promise<Language | undefined> {
  const users = db.selectFrom('console_users').select('language').where('email', '=', email.toLowerCase());
  return (await users.executeTakeFirst())?.language ?? undefined;
}

export async function endSessions(db: Handle, userId: string): Promise<void> {
  await db.deleteFrom('console_sessions').where('user_id', '=', userId).execute();
}

/** Ends every session, and removes the second factor and the passkeys. */
export async function forgetSignIns(db: Handle, userId: string): Promise<void> {
  await endSessions(db, userId);
  for (const table of ['console_two_factors', 'console_passkeys'] as const) {
    await db.deleteFrom(table).where('user_id', '=', userId).execute();
  }
  const off = { two_factor_enabled: libraryTruth(db, false) };
  await db.updateTable('console_users').set(off).where('id', '=', userId).execute();
}

export function libraryTime(db: Handle, at: number): Date | string {
  const date = new Date(at);
  return engineOf(db) === 'postgres' ? date : date.toISOString();
}

const passwordProvider = 'credential';

function libraryTruth(db: Handle, value: boolean): boolean | number {
  return engineOf(db) === 'postgres' ? value : Number(value);
}

type UserRow = Pick<Selectable<Database['console_users']>, 'id' | 'email' | 'name' | 'language'> & {
  readonly two_factor_enabled: unknown;
  readonly email_verified: unknown;
};

export function userFrom({ id, email, name, language, ...row }: UserRow): User {
  const { two_factor_enabled: hasTwoFactor, email_verified: isVerified } = row;
  const truths = { hasTwoFactor: Boolean(hasTwoFactor), isVerified: Boolean(isVerified) };
  return { id, email, name, language: language ?? undefined, ...truths };
}

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
