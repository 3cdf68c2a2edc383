/** The roles: names and descriptions. */
export const roles = [
  { role: 'owner', name: 'settings.roleOwner', text: 'settings.roleOwnerText' },
  { role: 'member', name: 'settings.roleMember', text: 'settings.roleMemberText' },
  { role: 'viewer', name: 'settings.roleViewer', text: 'settings.roleViewerText' },
] as const;

export function roleName(role: string) {
  return (roles.find((one) => one.role === role) ?? roles[2]).name;
}
