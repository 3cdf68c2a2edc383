import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../store/database.ts';
import { randomBase62 } from './base62.ts';
import { isOneOf, keyDigest, keyDigests } from './key-digest.ts';
import type { LinkMaking } from './one-time-links.ts';
import { secretFormat } from './secret-format.ts';
import type { Language } from './users.ts';

/** Somebody who wants in and has not shown yet that the address is theirs: nothing else of them is here. */
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
/** Who signs up often has as many letters as they may get; all of them are good. */
const signUpsMax = 5;
/** Of those that are over, so many are deleted each time. */
const deletedMax = 100;

/** Notes what somebody chose. Only the secret, which goes to the address, opens it; those of others stay as good as they were. */
export async function noteSignUp({ store, clock, pepper }: LinkMaking, wish: Omit<SignUp, 'id'>): Promise<string> {
  const now = clock.now();
  const over = store.db.selectFrom('console_sign_ups').select('id').where('expires_at', '<=', now).limit(deletedMax);
  await store.db.deleteFrom('console_sign_ups').where('id', 'in', over).execute();
  const secret = format.newSecret();
  await store.db
    .insertInto('console_sign_ups')
    .values({
      id: `sgn_${randomBase62(16)}`,
      digest: keyDigest(pepper, secret),
      email: wish.email.toLowerCase(),
      name: wish.name,
      password_hash: wish.passwordHash,
      package: wish.packageName,
      language: wish.language ?? null,
      created_at: now,
      expires_at: now + lifetimeMs,
    })
    .execute();
  return secret;
}

/** What the secret opens, unless it is too old, was used or never was. */
export async function openSignUp({ store, clock, pepper }: LinkMaking, secret: string): Promise<SignUp | undefined> {
  if (!format.wellFormed(secret)) return undefined;
  const digests = keyDigests(pepper, secret);
  const row = await open({ store, clock }).where('digest', 'in', digests).executeTakeFirst();
  return row && isOneOf(digests, row.digest) ? fromRow(row) : undefined;
}

/** All that is open for an address, newest first: several may have used it, and only one of them reads its mail. */
export async function signUpsOf(parts: Pick<LinkMaking, 'store' | 'clock'>, email: string): Promise<readonly SignUp[]> {
  const rows = open(parts).where('email', '=', email.toLowerCase()).orderBy('created_at', 'desc').limit(signUpsMax);
  return (await rows.execute()).map(fromRow);
}

/** Uses one up, and ends all others for its address. Of several who come at the same time one is told yes. */
export async function useSignUp(db: Kysely<Database>, { id, email }: SignUp): Promise<boolean> {
  const used = await db.deleteFrom('console_sign_ups').where('id', '=', id).executeTakeFirst();
  await db.deleteFrom('console_sign_ups').where('email', '=', email).execute();
  return used.numDeletedRows > 0n;
}

function open({ store, clock }: Pick<LinkMaking, 'store' | 'clock'>) {
  return store.db.selectFrom('console_sign_ups').selectAll().where('expires_at', '>', clock.now());
}

function fromRow(row: Selectable<Database['console_sign_ups']>): SignUp {
  const { id, email, name, password_hash: passwordHash, package: packageName, language } = row;
  return { id, email, name, passwordHash, packageName, language: language ?? undefined };
}
