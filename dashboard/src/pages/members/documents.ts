import type { MemberRole } from '../../api/session.ts';

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly since: string;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly made_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** What the roles are called, and what each may do. */
export const roles = [
  { role: 'owner', name: 'settings.roleOwner', text: 'settings.roleOwnerText' },
  { role: 'member', name: 'settings.roleMember', text: 'settings.roleMemberText' },
  { role: 'viewer', name: 'settings.roleViewer', text: 'settings.roleViewerText' },
] as const;

export function roleName(role: MemberRole) {
  return (roles.find((one) => one.role === role) ?? roles[2]).name;
}
