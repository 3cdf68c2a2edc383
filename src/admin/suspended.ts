import type { AccountId } from '../accounts/ids.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { accountAt } from './accounts.ts';
import type { AdminParts } from './parts.ts';

/** Its owner makes no more keys for an account that is suspended: none of them would work, and nobody would say why. */
export async function refuseSuspended(parts: AdminParts, accountId: AccountId): Promise<void> {
  const { status } = await accountAt(parts, accountId);
  if (status === 'suspended') throw new GatewayError('account-suspended');
}
