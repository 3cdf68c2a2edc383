import type { Kysely } from 'kysely';
import { membershipsOf } from '../accounts/members.ts';
import type { Database } from '../store/database.ts';

/** Whoever belongs to more accounts than that is told of to so many. */
const accountsMax = 100;

/**
 * Whose business a change is, as things are when it is made: who belongs to an account later has no past there. `own` is
 * the account on whose side somebody made it.
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

/** Those a user belongs to; what the user does about their way in concerns all of them. */
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
