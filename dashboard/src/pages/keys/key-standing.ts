import type { Account, Key } from '../../api/wire.ts';

/**
 * How the gateway would treat a request with this key now: besides its own state, its cap or its account may reject it.
 */
export type EffectiveKeyState = Key['state'] | 'capped' | 'suspended';

export function effectiveStateOf(key: Key, account: Account['status'] | undefined): EffectiveKeyState {
  if (key.state !== 'active') return key.state;
  if (account === 'suspended') return 'suspended';
  return key.spend_cap !== null && Number(key.cap_spent) >= Number(key.spend_cap) ? 'capped' : 'active';
}
