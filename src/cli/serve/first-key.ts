import { accounts } from '../../accounts/accounts.ts';
import { createKey, keyState, keys } from '../../accounts/keys.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Gateway } from '../../gateway/gateway.ts';

const demoAccount = 'demo';

/** Creates a key if the demo account has no active one; returns its secret, which must be shown now. */
export async function firstKey({ store, pepper }: Gateway): Promise<string | undefined> {
  const account = await accounts(store, systemClock).find(demoAccount);
  if (!account) return undefined;
  const existing = await keys(store, systemClock).list({ accountId: account.id });
  if (existing.some((key) => keyState(key, systemClock.now()) === 'active')) return undefined;
  const parts = { store, clock: systemClock, pepper };
  const { secret } = await createKey(parts, { accountId: account.id, name: 'first key' });
  return secret;
}
