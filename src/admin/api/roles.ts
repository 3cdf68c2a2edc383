import { type OperatorRole, operatorRoles } from '../../accounts/operators.ts';

/** Each operator role includes the ones before it. A token of the role `account` reaches one account only. */
export const adminRoles = operatorRoles;

export type AdminRole = OperatorRole;
export type Role = AdminRole | 'account';

export function mayUse(role: Role, access: Role): boolean {
  if (role === 'account' || access === 'account') return role === access;
  return adminRoles.indexOf(role) >= adminRoles.indexOf(access);
}
