import type { AccountId } from '../../accounts/ids.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { accountAt } from './accounts.ts';
import type { AdminParts } from '../parts.ts';

/** Throws for a suspended account: a new key would not work, and its owner would not see why. */
export async function refuseSuspended(parts: AdminParts, accountId: AccountId): Promise<void> {
  const { status } = await accountAt(parts, accountId);
  if (status === 'suspended') throw new GatewayError('account-suspended');
}
