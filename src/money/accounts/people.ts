import { type Kysely, sql } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import { contains } from '../../platform/store/text-search.ts';
import { type AccountMembership, membershipsOfAll } from './members.ts';
import { type OrganisationMembership, organisationsOfUsers } from './organisation-members.ts';
import type { OperatorRole } from './operators.ts';
import { type User, userFrom } from './users.ts';

export interface Person extends User {
  readonly operator: OperatorRole | undefined;
  readonly memberships: readonly AccountMembership[];
  readonly organisations: readonly OrganisationMembership[];
}

interface PeoplePart {
  /** A part of the name or the address, ignoring case. */
  readonly search?: string | undefined;
  readonly id?: string;
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
  if (part.search !== undefined) users = users.where(contains(sql`email || ' ' || name`, part.search));
  const rows = await users.execute();
  const ids = rows.map(({ id }) => id);
  const memberships = await membershipsOfAll(db, ids);
  const organisations = await organisationsOfUsers(db, ids);
  return rows.map(({ role, ...row }) => ({
    ...userFrom(row),
    operator: role ?? undefined,
    memberships: memberships.get(row.id) ?? [],
    organisations: organisations.get(row.id) ?? [],
  }));
}
