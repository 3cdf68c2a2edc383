import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import type { AccountId } from './ids.ts';
import { membershipsOf } from './members.ts';
import { type OperatorRole, operatorRoleOf, operatorRoles } from './operators.ts';

/** What of someone's way in is lost, and is replaced by a link. */
export const resettable = ['password', 'second-factor', 'both'] as const;

export type Resettable = (typeof resettable)[number];

/** By whose right a link is made: that of the owners of an account, or that of an operator of a role. */
export type ResetRight = { readonly accountId: AccountId } | { readonly operator: OperatorRole };

/**
 * Whether whoever has that right may let somebody in as the user. It must gain them nothing: the owners of an account
 * have no say in other accounts and in who runs the gateway, and no operator in those who may do more. It is asked when
 * a link is made and once more when it is used, since rights may have grown in between.
 */
export async function mayReset(db: Kysely<Database>, right: ResetRight, userId: string): Promise<boolean> {
  const role = await operatorRoleOf(db, userId);
  if ('operator' in right) {
    return role === undefined || operatorRoles.indexOf(role) <= operatorRoles.indexOf(right.operator);
  }
  const memberships = await membershipsOf(db, userId);
  return role === undefined && memberships.length === 1 && memberships[0]?.accountId === right.accountId;
}
