import { GatewayError } from '../core/gateway-error.ts';
import { reason } from '../core/reasons/reason.ts';

interface Holder {
  readonly userId: string;
  readonly role: string;
}

/** Throws if the user is the only owner. Call it under the lock of the members or operators, before a change. */
export function requireAnotherOwner(userId: string, holders: readonly Holder[]): void {
  const owners = holders.filter(({ role }) => role === 'owner');
  if (owners.length !== 1 || owners[0]?.userId !== userId) return;
  throw new GatewayError('invalid-request', { reason: reason('last_owner') });
}
