import { type Kysely, sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { shownName } from './accounts.ts';
import type { AccountId } from './ids.ts';
import type { AccountMembership } from './members.ts';
import type { OperatorRole } from './operators.ts';
import { type User, userFrom } from './users.ts';

/** A user with all roles. */
export interface Person extends User {
  readonly operator: OperatorRole | undefined;
  readonly memberships: readonly AccountMembership[];
}

interface PeoplePart {
  /** A part of the name or the address, ignoring case. */
  readonly search?: string | undefined;
  readonly id?: string;
  /** Only users after this address. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** All users who can sign in, sorted by e-mail address. */
export async function listPeople(db: Kysely<Database>, part: PeoplePart): Promise<readonly Person[]> {
  let users = db
    .selectFrom('console_users')
    .leftJoin('console_operators', 'console_operators.user_id', 'console_users.id')
    .select(['id', 'email', 'name', 'two_factor_enabled', 'email_verified', 'language', 'console_operators.role'])
    .orderBy('email')
    .limit(part.limit);
  if (part.id !== undefined) users = users.where('id', '=', part.id);
  if (part.after !== undefined) users = users.where('email', '>', part.after);
  if (part.search !== undefined) {
    const pattern = `%${part.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    users = users.where(sql<boolean>`(email like ${pattern} escape '\\' or lower(name) like ${pattern} escape '\\')`);
  }
  const rows = await users.execute();
  const memberships = await membershipsOfAll(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map(({ role, ...row }) => ({
    ...userFrom(row),
    operator: role ?? undefined,
    memberships: memberships.get(row.id) ?? [],
  }));
}

async function membershipsOfAll(
  db: Kysely<Database>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AccountMembership[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('console_members')
    .innerJoin('accounts', 'accounts.id', 'console_members.account_id')
    .select(['console_members.user_id', 'accounts.id', shownName, 'console_members.role'])
    .where('console_members.user_id', 'in', [...userIds])
    .orderBy('accounts.name')
    .execute();
  const all = rows.map(({ user_id: userId, id, name, role }) => ({
    userId,
    membership: { accountId: id as AccountId, accountName: name, role },
  }));
  return new Map(
    [...Map.groupBy(all, ({ userId }) => userId)].map(([userId, own]) => [userId, own.map((each) => each.membership)]),
  );
}
