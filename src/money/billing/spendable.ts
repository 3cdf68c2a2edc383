import type { KeyHolder } from '../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Store } from '../../platform/store/store.ts';
import { isWithinLimits } from './budgets/limit-reading.ts';
import { balanceOf } from './wallet/balance.ts';

/**
 * Rejects with 402 if a live request of the key would surely find no money. For creations, which hold no money
 * themselves: without it, an account could store work that it can never pay for.
 */
export async function requireSpendable(store: Store, key: KeyHolder, now: number): Promise<void> {
  const { granted, toppedUp, floor } = await balanceOf(store, key.accountId);
  if (granted + toppedUp <= floor) {
    const detail = 'The balance of this account is used up. Top it up, and send the request again.';
    throw new GatewayError('insufficient-balance', { detail });
  }
  const { accountId, limits = [] } = key;
  if (limits.length === 0 || (await isWithinLimits(store, { accountId, limits }, now))) return;
  const detail = 'A spend limit of this key is used up. Raise the limit, or wait until it resets.';
  throw new GatewayError('limit-reached', { detail });
}
