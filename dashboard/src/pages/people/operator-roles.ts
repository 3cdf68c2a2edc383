/** The operator roles: names and descriptions. */
export const operatorRoles = [
  { role: 'owner', name: 'people.roleOwner', text: 'people.roleOwnerText' },
  { role: 'operator', name: 'people.roleOperator', text: 'people.roleOperatorText' },
  { role: 'read-only', name: 'people.roleReadOnly', text: 'people.roleReadOnlyText' },
] as const;

export function operatorRoleName(role: string) {
  return (operatorRoles.find((one) => one.role === role) ?? operatorRoles[2]).name;
}
