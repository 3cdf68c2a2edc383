import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import { randomBase62 } from './base62.ts';
import { isOneOf, keyDigest, keyDigests, type SecretParts } from '../../platform/secrets/key-digest.ts';
import { secretFormat } from './secret-format.ts';
import type { Language } from 'chat-formats/reasons/text.ts';

/** A pending sign-up: the address is not confirmed, and no user or account exists yet. */
export interface SignUp {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly packageName: string;
  readonly language: Language | undefined;
}

const format = secretFormat('gws_');
const lifetimeMs = 86_400_000;
/** Maximum number of pending sign-ups that are read for one address. All of them are valid. */
const signUpsMax = 5;
const deletedMax = 100;

/** Stores a pending sign-up and returns its secret, which is sent to the address. Earlier sign-ups stay valid. */
export async function noteSignUp({ store, clock, pepper }: SecretParts, signUp: Omit<SignUp, 'id'>): Promise<string> {
  const now = clock.now();
  const expired = store.db.selectFrom('console_sign_ups').select('id').where('expires_at', '<=', now).limit(deletedMax);
  await store.db.deleteFrom('console_sign_ups').where('id', 'in', expired).execute();
  const secret = format.newSecret();
  await store.db
    .insertInto('console_sign_ups')
    .values({
      id: `sgn_${randomBase62(16)}`,
      digest: keyDigest(pepper, secret),
      email: signUp.email.toLowerCase(),
      name: signUp.name,
      password_hash: signUp.passwordHash,
      package: signUp.packageName,
      language: signUp.language ?? null,
      created_at: now,
      expires_at: now + lifetimeMs,
    })
    .execute();
  return secret;
}

/** The sign-up of a secret. `undefined` if it is unknown, used or expired. */
export async function openSignUp({ store, clock, pepper }: SecretParts, secret: string): Promise<SignUp | undefined> {
  if (!format.wellFormed(secret)) return undefined;
  const digests = keyDigests(pepper, secret);
  const row = await open({ store, clock }).where('digest', 'in', digests).executeTakeFirst();
  return row && isOneOf(digests, row.digest) ? fromRow(row) : undefined;
}

/** Pending sign-ups of an address, newest first. Several people may have used it, but only one reads its e-mails. */
export async function signUpsOf(
  parts: Pick<SecretParts, 'store' | 'clock'>,
  email: string,
): Promise<readonly SignUp[]> {
  const rows = open(parts).where('email', '=', email.toLowerCase()).orderBy('created_at', 'desc').limit(signUpsMax);
  return (await rows.execute()).map(fromRow);
}

/** Uses up a sign-up and deletes all others of its address. Of several concurrent calls, one returns true. */
export async function useSignUp(db: Kysely<Database>, { id, email }: SignUp): Promise<boolean> {
  const used = await db.deleteFrom('console_sign_ups').where('id', '=', id).executeTakeFirst();
  await db.deleteFrom('console_sign_ups').where('email', '=', email).execute();
  return used.numDeletedRows > 0n;
}

function open({ store, clock }: Pick<SecretParts, 'store' | 'clock'>) {
  return store.db.selectFrom('console_sign_ups').selectAll().where('expires_at', '>', clock.now());
}

function fromRow(row: Selectable<Database['console_sign_ups']>): SignUp {
  const { id, email, name, password_hash: passwordHash, package: packageName, language } = row;
  return { id, email, name, passwordHash, packageName, language: language ?? undefined };
}
