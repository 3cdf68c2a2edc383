import { makeLink } from '../../money/accounts/one-time-links.ts';
import { hasOwner } from '../../money/accounts/operators.ts';
import type { SecretParts } from '../../platform/secrets/key-digest.ts';

/** Creates a link that makes its user an owner of the gateway, and returns its path. It works once, for 24 hours. */
export async function setupPath(making: SecretParts): Promise<string> {
  const { secret } = await makeLink(making, { kind: 'setup' }, 'cli');
  return `/app/setup?token=${secret}`;
}

/** Undefined if the gateway already has an owner. */
export async function firstSetupPath(making: SecretParts): Promise<string | undefined> {
  return (await hasOwner(making.store.db)) ? undefined : setupPath(making);
}
