import { createSecretKey } from 'node:crypto';
import { type SecretVault, secretVault } from '../catalog/secret-vault.ts';

/** Seals bodies with a key of their own: derived from their secret, or from the gateway's where they have none. */
export function bodyVault(
  pepper: Parameters<typeof secretVault>[0],
  settings: { readonly secret?: string | undefined } | undefined,
): SecretVault {
  const secret = settings?.secret;
  const from = secret === undefined ? pepper : createSecretKey(Buffer.from(secret));
  return secretVault(from, 'chat-gateway stored bodies');
}

/** Whose bodies they are: they open for this request of this account and for no other. */
export function ownerOf({ accountId, id }: { readonly accountId: string; readonly id: string }): string {
  return `bodies ${accountId} ${id}`;
}
