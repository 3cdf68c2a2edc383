/** Role names for use in a sentence. Owners of accounts and of the gateway share one. */
export const roleKeys = {
  owner: 'signIn.roleOwner',
  member: 'signIn.roleMember',
  viewer: 'signIn.roleViewer',
  operator: 'signIn.roleOperator',
  'read-only': 'signIn.roleReadOnly',
} as const;
