import type { Kysely } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import type { AccountId } from './ids.ts';
import { membershipsOf } from './members.ts';
import { organisationsOfUser } from './organisation-members.ts';
import { type OperatorRole, operatorRoleOf, operatorRoles } from './operators.ts';

export const resettable = ['password', 'second-factor', 'both'] as const;

export type Resettable = (typeof resettable)[number];

/** The right by which a link is created: as an owner of an account, as an operator with a role, or by the user. */
export type ResetRight =
  | { readonly accountId: AccountId }
  | { readonly operator: OperatorRole }
  | { readonly isOwn: true };

/**
 * Whether this right allows a reset of the user's sign-in. A reset must not give its creator more rights: owners of an
 * account cannot reset operators, or members of other accounts or of an organisation, and operators cannot reset higher roles. Check it when a
 * link is created and again when it is used, because the user may have gained rights in between.
 */
export async function mayReset(db: Kysely<Database>, right: ResetRight, userId: string): Promise<boolean> {
  if ('isOwn' in right) return true;
  const role = await operatorRoleOf(db, userId);
  if ('operator' in right) {
    return role === undefined || operatorRoles.indexOf(role) <= operatorRoles.indexOf(right.operator);
  }
  const memberships = await membershipsOf(db, userId);
  if ((await organisationsOfUser(db, userId)).length > 0) return false;
  return role === undefined && memberships.length === 1 && memberships[0]?.accountId === right.accountId;
}
