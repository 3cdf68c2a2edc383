import type { Kysely } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import { requireAnotherOwner, type RoleHolder } from './last-owner.ts';

/** Each role includes the ones before it. */
export const operatorRoles = ['read-only', 'operator', 'owner'] as const;

export type OperatorRole = (typeof operatorRoles)[number];

type Operator = RoleHolder<OperatorRole>;

type Handle = Kysely<Database>;

export async function operatorRoleOf(db: Handle, userId: string): Promise<OperatorRole | undefined> {
  const rows = db.selectFrom('console_operators').select('role').where('user_id', '=', userId);
  return (await rows.executeTakeFirst())?.role;
}

/** Oldest first. */
export async function listOperators(db: Handle): Promise<readonly Operator[]> {
  const rows = await db
    .selectFrom('console_operators')
    .innerJoin('console_users', 'console_users.id', 'console_operators.user_id')
    .select(['console_users.id', 'email', 'name', 'role', 'console_operators.created_at'])
    .orderBy('console_operators.created_at')
    .orderBy('console_users.id')
    .execute();
  return rows.map(({ id, created_at: createdAt, ...row }) => ({ ...row, userId: id, createdAt }));
}

/** While there is no owner, users can get in only by a one-time link. */
export async function hasOwner(db: Handle): Promise<boolean> {
  const owner = db.selectFrom('console_operators').select('user_id').where('role', '=', 'owner').limit(1);
  return (await owner.executeTakeFirst()) !== undefined;
}

/** Makes the user an operator, or changes the role of an operator. Throws if no owner would remain. */
export async function addOperator(
  store: Store,
  clock: Clock,
  { userId, role }: { userId: string; role: OperatorRole },
): Promise<void> {
  await store.transaction(async (tx) => {
    if (role !== 'owner') requireAnotherOwner(userId, await listOperators(tx));
    await tx
      .insertInto('console_operators')
      .values({ user_id: userId, role, created_at: clock.now() })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ role }))
      .execute();
  }, operatorsLock);
}

/** Changes the role of an operator. Returns `undefined` if there is no such operator. Throws for the last owner. */
export async function changeOperatorRole(
  store: Store,
  { userId, role }: { userId: string; role: OperatorRole },
): Promise<{ readonly before: Operator; readonly after: Operator } | undefined> {
  return store.transaction(async (tx) => {
    const operators = await listOperators(tx);
    const before = operators.find((operator) => operator.userId === userId);
    if (!before) return undefined;
    if (role !== 'owner') requireAnotherOwner(userId, operators);
    await tx.updateTable('console_operators').set({ role }).where('user_id', '=', userId).execute();
    return { before, after: { ...before, role } };
  }, operatorsLock);
}

/** Returns the removed operator, or `undefined` if there is no such operator. Throws for the last owner. */
export async function removeOperator(store: Store, userId: string): Promise<Operator | undefined> {
  return store.transaction(async (tx) => {
    const operators = await listOperators(tx);
    requireAnotherOwner(userId, operators);
    await tx.deleteFrom('console_operators').where('user_id', '=', userId).execute();
    return operators.find((operator) => operator.userId === userId);
  }, operatorsLock);
}

const operatorsLock = { lock: 'operators' } as const;
