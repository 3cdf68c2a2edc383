import type { Kysely } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import type { TransactionOptions } from '../../platform/store/transactions.ts';
import { revokeKeysOfStrangers } from './former-members.ts';
import type { OrganisationId } from './ids.ts';
import { requireAnotherOwner, type RoleHolder } from './last-owner.ts';

/** `owner`: the rights of an owner in each account, and the members of the organisation. `viewer`: read-only. */
export const organisationRoles = ['owner', 'viewer'] as const;

export type OrganisationRole = (typeof organisationRoles)[number];

export type OrganisationMember = RoleHolder<OrganisationRole>;

export interface OrganisationMembership {
  readonly organisationId: OrganisationId;
  readonly organisationName: string;
  readonly role: OrganisationRole;
}

type Handle = Kysely<Database>;

/** The organisations that each user belongs to, by name. */
export async function organisationsOfUsers(
  db: Handle,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly OrganisationMembership[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('organisation_members')
    .innerJoin('organisations', 'organisations.id', 'organisation_id')
    .select(['user_id', 'organisations.id', 'name', 'display_name', 'role'])
    .where('user_id', 'in', userIds)
    .orderBy('name')
    .execute();
  const ofUsers = Map.groupBy(rows, ({ user_id: userId }) => userId);
  return new Map(
    [...ofUsers].map(([userId, own]) => [
      userId,
      own.map(({ id, name, display_name: shown, role }) => ({
        organisationId: id as OrganisationId,
        organisationName: shown ?? name,
        role,
      })),
    ]),
  );
}

export async function organisationsOfUser(db: Handle, userId: string): Promise<readonly OrganisationMembership[]> {
  return (await organisationsOfUsers(db, [userId])).get(userId) ?? [];
}

/** The members of an organisation, oldest membership first. */
export async function organisationMembers(db: Handle, id: string): Promise<readonly OrganisationMember[]> {
  const rows = await db
    .selectFrom('organisation_members')
    .innerJoin('console_users', 'console_users.id', 'organisation_members.user_id')
    .select(['console_users.id', 'email', 'name', 'role', 'organisation_members.created_at'])
    .where('organisation_id', '=', id)
    .orderBy('organisation_members.created_at')
    .orderBy('console_users.id')
    .execute();
  return rows.map(({ id: userId, created_at: createdAt, ...row }) => ({ ...row, userId, createdAt }));
}

interface RoleOfUser {
  readonly id: string;
  readonly userId: string;
  readonly role: OrganisationRole;
}

/** Makes the user a member, or changes the role of a member. Throws if no owner would remain. */
export async function addOrganisationMember(
  store: Store,
  clock: Clock,
  { id, userId, role }: RoleOfUser,
): Promise<void> {
  await store.transaction(async (tx) => {
    if (role !== 'owner') requireAnotherOwner(userId, await organisationMembers(tx, id));
    await tx
      .insertInto('organisation_members')
      .values({ organisation_id: id, user_id: userId, role, created_at: clock.now() })
      .onConflict((conflict) => conflict.columns(['organisation_id', 'user_id']).doUpdateSet({ role }))
      .execute();
  }, membersLock(id));
}

/** Returns `undefined` if there is no such member. Throws for the last owner. */
export async function changeOrganisationRole(
  store: Store,
  { id, userId, role }: RoleOfUser,
): Promise<{ readonly before: OrganisationMember; readonly after: OrganisationMember } | undefined> {
  return store.transaction(async (tx) => {
    const members = await organisationMembers(tx, id);
    const before = members.find((member) => member.userId === userId);
    if (!before) return undefined;
    if (role !== 'owner') requireAnotherOwner(userId, members);
    const own = tx.updateTable('organisation_members').set({ role }).where('organisation_id', '=', id);
    await own.where('user_id', '=', userId).execute();
    return { before, after: { ...before, role } };
  }, membersLock(id));
}

/**
 * Removes a member, and revokes the keys that count for the member in accounts where the member has no role of its own.
 * Returns `undefined` if there is no such member. Throws for the last owner.
 */
export async function removeOrganisationMember(
  store: Store,
  clock: Clock,
  { id, userId }: Omit<RoleOfUser, 'role'>,
): Promise<OrganisationMember | undefined> {
  return store.transaction(async (tx) => {
    const members = await organisationMembers(tx, id);
    requireAnotherOwner(userId, members);
    const own = tx.deleteFrom('organisation_members').where('organisation_id', '=', id);
    await own.where('user_id', '=', userId).execute();
    const accounts = await tx.selectFrom('accounts').select('id').where('organisation_id', '=', id).execute();
    await revokeKeysOfStrangers(
      tx,
      clock,
      accounts.map((account) => account.id),
    );
    return members.find((member) => member.userId === userId);
  }, membersLock(id));
}

/** Transactions that read the members of an organisation and then change them run one after another. */
export function membersLock(id: string): TransactionOptions {
  return { lock: `members of ${id}` };
}
