import type { Kysely } from 'kysely';
import type { Database } from '../../platform/store/database.ts';

export interface Reader {
  readonly userId: string;
  readonly email: string;
  readonly role: string;
}

type Handle = Kysely<Database>;

export const readersMax = 20;

/** Addresses that get e-mails about an account: the chosen readers who are still members, or else all owners. */
export async function readersOf(db: Handle, accountId: string): Promise<readonly string[]> {
  const [able, chosen] = [await ableReaders(db, accountId), await chosenReaders(db, accountId)];
  const own = chosen.length > 0 ? chosen : able.filter(({ role }) => role === 'owner');
  return own.map(({ email }) => email);
}

/** Addresses of the owners of an organisation. */
export async function ownersOf(db: Handle, organisationId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('organisation_members')
    .innerJoin('console_users', 'console_users.id', 'organisation_members.user_id')
    .select(['email', 'email_verified'])
    .where('organisation_id', '=', organisationId)
    .where('organisation_members.role', '=', 'owner')
    .orderBy('email')
    .execute();
  return rows.filter(({ email_verified: isVerified }) => Boolean(isVerified)).map(({ email }) => email);
}

export async function ableReaders(db: Handle, accountId: string): Promise<readonly Reader[]> {
  const rows = await db
    .selectFrom('console_members')
    .innerJoin('console_users', 'console_users.id', 'console_members.user_id')
    .select(['console_users.id', 'email', 'email_verified', 'role'])
    .where('account_id', '=', accountId)
    .orderBy('email')
    .execute();
  const able = rows.filter(({ email_verified: isVerified }) => Boolean(isVerified));
  return able.map(({ id, email, role }) => ({ userId: id, email, role }));
}

/** The chosen readers who can still be chosen. Empty if all owners get the e-mails. */
export async function chosenReaders(db: Handle, accountId: string): Promise<readonly Reader[]> {
  const rows = await db.selectFrom('account_readers').select('user_id').where('account_id', '=', accountId).execute();
  const chosen = new Set(rows.map(({ user_id: userId }) => userId));
  return chosen.size === 0 ? [] : (await ableReaders(db, accountId)).filter(({ userId }) => chosen.has(userId));
}

/** Replaces the chosen readers. An empty list means all owners. */
export async function chooseReaders(db: Handle, accountId: string, readers: readonly Reader[]): Promise<void> {
  await db.deleteFrom('account_readers').where('account_id', '=', accountId).execute();
  const rows = readers.map(({ userId }) => ({ account_id: accountId, user_id: userId }));
  if (rows.length > 0) await db.insertInto('account_readers').values(rows).execute();
}
