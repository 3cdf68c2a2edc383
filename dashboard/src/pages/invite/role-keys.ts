/** What the roles are called in a sentence. An account's owner and the gateway's share a word. */
export const roleKeys = {
  owner: 'signIn.roleOwner',
  member: 'signIn.roleMember',
  viewer: 'signIn.roleViewer',
  operator: 'signIn.roleOperator',
  'read-only': 'signIn.roleReadOnly',
} as const;
