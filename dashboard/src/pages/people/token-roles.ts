import { operatorRoles } from './operator-roles.ts';

/** What a token may do: what an operator of a role does, or what the owner of one account does. */
export const tokenRoles = [
  ...operatorRoles,
  { role: 'account', name: 'people.roleAccount', text: 'people.roleAccountText' },
] as const;

export function tokenRoleName(role: (typeof tokenRoles)[number]['role']) {
  return (tokenRoles.find((one) => one.role === role) ?? tokenRoles[2]).name;
}
