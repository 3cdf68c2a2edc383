import type { Account, Key } from '../../api/wire.ts';

/** What a request with a key would meet now: besides the key's own state, its cap and its account may refuse it. */
export type KeyStanding = Key['state'] | 'capped' | 'suspended';

export function standingOf(key: Key, account: Account['status'] | undefined): KeyStanding {
  if (key.state !== 'active') return key.state;
  if (account === 'suspended') return 'suspended';
  return key.spend_cap !== null && Number(key.cap_spent) >= Number(key.spend_cap) ? 'capped' : 'active';
}
