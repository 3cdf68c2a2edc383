import type { Kysely } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import type { TransactionOptions } from '../../platform/store/transactions.ts';
import { publishChange } from '../../platform/cluster/change-feed.ts';
import { setMemberLimits } from '../billing/budgets/limit-changes.ts';
import { type Limit, limitsFrom } from '../../core/limit.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { shownName } from './accounts.ts';
import { revokeKeysOfStrangers } from './former-members.ts';
import type { AccountId } from './ids.ts';
import { requireAnotherOwner, type RoleHolder } from './last-owner.ts';

/** `owner`: everything. `member`: reads everything, and changes only keys that count for the member. `viewer`: read-only. */
export const memberRoles = ['owner', 'member', 'viewer'] as const;

export type MemberRole = (typeof memberRoles)[number];

/** The limits of all keys of a member together. */
export interface MemberTerms {
  /** Limits on their spend. */
  readonly limits: readonly Limit[];
  /** Models to which they are limited; `undefined` means no limit of its own. */
  readonly models: readonly string[] | undefined;
  /** Requests served at once; `undefined` means no limit. */
  readonly maxConcurrency: number | undefined;
}

export type Member = RoleHolder<MemberRole> & MemberTerms;

/** Fields that are left out stay unchanged. `null` removes a limit. */
export interface MemberChange {
  readonly role?: MemberRole | undefined;
  readonly limits?: readonly Limit[] | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly maxConcurrency?: number | null | undefined;
}

export interface AccountMembership {
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly role: MemberRole;
}

type Handle = Kysely<Database>;

/** The accounts that a user may open, by name: as a member of the account or of its organisation, with the higher role. */
export async function membershipsOf(db: Handle, userId: string): Promise<readonly AccountMembership[]> {
  const own = (await membershipsOfAll(db, [userId])).get(userId) ?? [];
  const rows = await db
    .selectFrom('organisation_members')
    .innerJoin('accounts', 'accounts.organisation_id', 'organisation_members.organisation_id')
    .select(['accounts.id', shownName, 'role'])
    .where('user_id', '=', userId)
    .execute();
  const byAccount = new Map(own.map((membership) => [membership.accountId, membership]));
  for (const through of rows.map(membershipFrom)) {
    const direct = byAccount.get(through.accountId);
    const isHigher = !direct || memberRoles.indexOf(through.role) < memberRoles.indexOf(direct.role);
    if (isHigher) byAccount.set(through.accountId, through);
  }
  return [...byAccount.values()].toSorted((one, other) => (one.accountName < other.accountName ? -1 : 1));
}

/** The accounts of which each user is a member, by name. */
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
    .select(['limits', 'models', 'max_concurrency'])
    .where('account_id', '=', accountId)
    .orderBy('console_members.created_at')
    .orderBy('console_users.id')
    .execute();
  return rows.map(({ id, email, name, role, created_at: createdAt, limits, models, max_concurrency: max }) => ({
    userId: id,
    email,
    name,
    role,
    createdAt,
    limits: limitsFrom(limits),
    models: models === null ? undefined : (ownJson(models) as string[]),
    maxConcurrency: max ?? undefined,
  }));
}

/** Changes a member. Returns `undefined` if there is no such member. Throws if no owner would remain. */
export async function changeMember(
  store: Store,
  { accountId, userId, ...change }: MemberChange & { readonly accountId: string; readonly userId: string },
): Promise<{ readonly before: Member; readonly after: Member } | undefined> {
  return store.transaction(async (tx) => {
    const members = await membersOf(tx, accountId);
    const before = members.find((member) => member.userId === userId);
    if (!before) return undefined;
    const { role, limits, models, maxConcurrency } = change;
    if (role !== undefined && role !== 'owner') requireAnotherOwner(userId, members);
    const columns = {
      ...(role !== undefined && { role }),
      ...(models !== undefined && { models: models && JSON.stringify(models) }),
      ...(maxConcurrency !== undefined && { max_concurrency: maxConcurrency }),
    };
    if (limits !== undefined) await setMemberLimits(tx, { accountId, userId }, limits);
    if (Object.keys(columns).length > 0) {
      const own = tx.updateTable('console_members').set(columns).where('account_id', '=', accountId);
      await own.where('user_id', '=', userId).execute();
      // The keys of the member carry the terms.
      await publishChange(tx, { topic: 'account', subject: accountId });
    }
    const after = (await membersOf(tx, accountId)).find((member) => member.userId === userId);
    return after && { before, after };
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

/**
 * Removes a member and revokes the keys that count for the member, unless the member still has a role in the account's
 * organisation. Returns `undefined` if there is no such member. Throws for the last owner.
 */
export async function removeMember(
  store: Store,
  clock: Clock,
  { accountId, userId }: { readonly accountId: string; readonly userId: string },
): Promise<Member | undefined> {
  return store.transaction(async (tx) => {
    const members = await membersOf(tx, accountId);
    requireAnotherOwner(userId, members);
    await tx.deleteFrom('console_members').where('account_id', '=', accountId).where('user_id', '=', userId).execute();
    await revokeKeysOfStrangers(tx, clock, [accountId]);
    return members.find((member) => member.userId === userId);
  }, lockOf(accountId));
}

function lockOf(accountId: string): TransactionOptions {
  return { lock: `members of ${accountId}` };
}
