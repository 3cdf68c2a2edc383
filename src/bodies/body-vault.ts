import { createSecretKey } from 'node:crypto';
import { type SecretVault, secretVault } from '../catalog/secret-vault.ts';

/**
 * Encrypts bodies with a key of their own, derived from their own secret or, without one, from the gateway's secret.
 */
export function bodyVault(
  pepper: Parameters<typeof secretVault>[0],
  settings: { readonly secret?: string | undefined } | undefined,
): SecretVault {
  const secret = settings?.secret;
  const from = secret === undefined ? pepper : createSecretKey(Buffer.from(secret));
  return secretVault(from, 'chat-gateway stored bodies');
}

/** Context of the encryption: the bodies can be decrypted only for this request of this account. */
export function ownerOf({ accountId, id }: { readonly accountId: string; readonly id: string }): string {
  return `bodies ${accountId} ${id}`;
}
