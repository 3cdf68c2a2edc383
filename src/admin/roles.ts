import { type OperatorRole, operatorRoles } from '../accounts/operators.ts';

/** Of operators, each may do what those before it may. A token of the role `account` sees one account and nothing else. */
export const adminRoles = operatorRoles;

export type AdminRole = OperatorRole;
export type Role = AdminRole | 'account';

export function mayUse(role: Role, access: Role): boolean {
  if (role === 'account' || access === 'account') return role === access;
  return adminRoles.indexOf(role) >= adminRoles.indexOf(access);
}
