import { operatorRoles } from './operator-roles.ts';

/** The permissions of a token: those of an operator role, or of the owner of one account. */
export const tokenRoles = [
  ...operatorRoles,
  { role: 'account', name: 'people.roleAccount', text: 'people.roleAccountText' },
] as const;

export function tokenRoleName(role: (typeof tokenRoles)[number]['role']) {
  return (tokenRoles.find((one) => one.role === role) ?? tokenRoles[2]).name;
}
