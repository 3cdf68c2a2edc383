import type { Kysely } from 'kysely';
import type { Clock } from '../core/time/clock.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import type { TransactionOptions } from '../store/transactions.ts';
import { shownName } from './accounts.ts';
import type { AccountId } from './ids.ts';
import { requireAnotherOwner, type RoleHolder } from './last-owner.ts';

/** `owner`: everything. `member`: everything except managing members. `viewer`: read-only. */
export const memberRoles = ['owner', 'member', 'viewer'] as const;

export type MemberRole = (typeof memberRoles)[number];

export type Member = RoleHolder<MemberRole>;

export interface AccountMembership {
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly role: MemberRole;
}

type Handle = Kysely<Database>;

/** The accounts a user belongs to, by name. */
export async function membershipsOf(db: Handle, userId: string): Promise<readonly AccountMembership[]> {
  return (await membershipsOfAll(db, [userId])).get(userId) ?? [];
}

export async function membershipsOfAll(
  db: Handle,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AccountMembership[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('console_members')
    .innerJoin('accounts', 'accounts.id', 'console_members.account_id')
    .select(['user_id', 'accounts.id', shownName, 'role'])
    .where('user_id', 'in', userIds)
    .orderBy('accounts.name')
    .execute();
  const ofUsers = Map.groupBy(rows, ({ user_id: userId }) => userId);
  return new Map([...ofUsers].map(([userId, own]) => [userId, own.map(membershipFrom)]));
}

function membershipFrom({ id, name, role }: { id: string; name: string; role: MemberRole }): AccountMembership {
  return { accountId: id as AccountId, accountName: name, role };
}

/** The members of an account, oldest membership first. */
export async function membersOf(db: Handle, accountId: string): Promise<readonly Member[]> {
  const rows = await db
    .selectFrom('console_members')
    .innerJoin('console_users', 'console_users.id', 'console_members.user_id')
    .select(['console_users.id', 'email', 'name', 'role', 'console_members.created_at'])
    .where('account_id', '=', accountId)
    .orderBy('console_members.created_at')
    .orderBy('console_users.id')
    .execute();
  return rows.map(({ id, created_at: createdAt, ...row }) => ({ ...row, userId: id, createdAt }));
}

/** Changes the role of a member. Returns `undefined` if there is no such member. Throws for the last owner. */
export async function changeRole(
  store: Store,
  { accountId, userId, role }: { accountId: string; userId: string; role: MemberRole },
): Promise<{ readonly before: Member; readonly after: Member } | undefined> {
  return store.transaction(async (tx) => {
    const members = await membersOf(tx, accountId);
    const before = members.find((member) => member.userId === userId);
    if (!before) return undefined;
    if (role !== 'owner') requireAnotherOwner(userId, members);
    const own = tx.updateTable('console_members').set({ role }).where('account_id', '=', accountId);
    await own.where('user_id', '=', userId).execute();
    return { before, after: { ...before, role } };
  }, lockOf(accountId));
}

/** Makes the user a member, or changes the role of a member. Throws if no owner would remain. */
export async function addMember(
  store: Store,
  clock: Clock,
  { accountId, userId, role }: { accountId: string; userId: string; role: MemberRole },
): Promise<void> {
  await store.transaction(async (tx) => {
    if (role !== 'owner') requireAnotherOwner(userId, await membersOf(tx, accountId));
    await tx
      .insertInto('console_members')
      .values({ account_id: accountId, user_id: userId, role, created_at: clock.now() })
      .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doUpdateSet({ role }))
      .execute();
  }, lockOf(accountId));
}

/** Returns the removed member, or `undefined` if there is no such member. Throws for the last owner. */
export async function removeMember(store: Store, accountId: string, userId: string): Promise<Member | undefined> {
  return store.transaction(async (tx) => {
    const members = await membersOf(tx, accountId);
    requireAnotherOwner(userId, members);
    await tx.deleteFrom('console_members').where('account_id', '=', accountId).where('user_id', '=', userId).execute();
    return members.find((member) => member.userId === userId);
  }, lockOf(accountId));
}

function lockOf(accountId: string): TransactionOptions {
  return { lock: `members of ${accountId}` };
}
