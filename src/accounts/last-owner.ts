import { GatewayError } from '../core/gateway-error.ts';
import { reason } from '../core/reasons/reason.ts';

interface Holder {
  readonly userId: string;
  readonly role: string;
}

/** Whoever changes who owns something does so under its lock and asks this first: somebody always stays in charge. */
export function requireOwnerBeside(userId: string, holders: readonly Holder[]): void {
  const owners = holders.filter(({ role }) => role === 'owner');
  if (owners.length !== 1 || owners[0]?.userId !== userId) return;
  throw new GatewayError('invalid-request', { reason: reason('last_owner') });
}
