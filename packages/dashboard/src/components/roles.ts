/** The roles: names and descriptions. */
export const roles = [
  { role: 'owner', name: 'settings.roleOwner', text: 'settings.roleOwnerText' },
  { role: 'member', name: 'settings.roleMember', text: 'settings.roleMemberText' },
  { role: 'viewer', name: 'settings.roleViewer', text: 'settings.roleViewerText' },
] as const;

/** The roles in an organisation: names and descriptions. */
export const organisationRoles = [
  { role: 'owner', name: 'settings.roleOwner', text: 'settings.roleOrganisationOwnerText' },
  { role: 'viewer', name: 'settings.roleViewer', text: 'settings.roleOrganisationViewerText' },
] as const;

export function roleName(role: string) {
  return (roles.find((one) => one.role === role) ?? roles[2]).name;
}

/** The operator roles: names and descriptions. */
export const operatorRoles = [
  { role: 'owner', name: 'people.roleOwner', text: 'people.roleOwnerText' },
  { role: 'operator', name: 'people.roleOperator', text: 'people.roleOperatorText' },
  { role: 'read-only', name: 'people.roleReadOnly', text: 'people.roleReadOnlyText' },
] as const;

export function operatorRoleName(role: string) {
  return (operatorRoles.find((one) => one.role === role) ?? operatorRoles[2]).name;
}

/** The permissions of a token: those of an operator role, or of the owner of one account. */
export const tokenRoles = [
  ...operatorRoles,
  { role: 'account', name: 'people.roleAccount', text: 'people.roleAccountText' },
] as const;

export function tokenRoleName(role: (typeof tokenRoles)[number]['role']) {
  return (tokenRoles.find((one) => one.role === role) ?? tokenRoles[2]).name;
}
