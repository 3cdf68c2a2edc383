import type { Kysely } from 'kysely';
import { membershipsOf } from '../../accounts/members.ts';
import type { Database } from '../../store/database.ts';

/** If a user belongs to more accounts, only this many see the change. */
const accountsMax = 100;

/**
 * The accounts whose audit logs list a change. They are fixed when the change is made: an account that a user joins
 * later does not list it. `own` is the account that the actor acts for.
 */
export async function concernedAccounts(
  db: Kysely<Database>,
  { kind, id, accounts }: AccountConcern,
  own: string | undefined,
): Promise<readonly string[]> {
  if (accounts) return [...new Set(accounts)].slice(0, accountsMax);
  if (own !== undefined) return [own];
  if (kind === 'account' || kind === 'balance') return [id];
  if (kind === 'key') return accountOfKey(db, id);
  return kind === 'user' ? accountsOfUser(db, id) : [];
}

/** The accounts of a user. A sign-in event of the user concerns all of them. */
export async function accountsOfUser(db: Kysely<Database>, userId: string): Promise<readonly string[]> {
  const memberships = await membershipsOf(db, userId);
  return memberships.slice(0, accountsMax).map(({ accountId }) => accountId);
}

interface AccountConcern {
  readonly kind: string;
  readonly id: string;
  readonly accounts?: readonly string[] | undefined;
}

async function accountOfKey(db: Kysely<Database>, keyId: string): Promise<readonly string[]> {
  const keys = await db.selectFrom('api_keys').select('account_id').where('id', '=', keyId).execute();
  return keys.map((key) => key.account_id);
}
