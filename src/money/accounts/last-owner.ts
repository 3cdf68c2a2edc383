import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

export interface RoleHolder<Role extends string = string> {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
}

/** Throws if the user is the only owner. Call it under the lock of the members or operators, before a change. */
export function requireAnotherOwner(userId: string, holders: readonly RoleHolder[]): void {
  const owners = holders.filter(({ role }) => role === 'owner');
  if (owners.length !== 1 || owners[0]?.userId !== userId) return;
  throw new GatewayError('invalid-request', { reason: reason('last_owner') });
}
