import { keyDigest, type Pepper } from '../../platform/secrets/key-digest.ts';
import { openLastingSecret } from '../../money/catalog/lasting-secret.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import type { Store } from '../../platform/store/store.ts';

const sessionSecretName = 'session-secret';

/**
 * The secret of sessions and second factors. It stays the same when the secret of the gateway changes, because second
 * factors cannot be decrypted with another one. The store has it sealed. If the store has none, it is derived from the
 * gateway secret that the store was created with.
 */
export async function openSessionSecret(
  store: Store,
  { pepper, vault }: { readonly pepper: Pepper; readonly vault: SecretVault },
): Promise<string> {
  const made = keyDigest(pepper.founding ?? pepper, 'the sessions of the dashboard');
  return store.transaction((tx) => openLastingSecret(tx, vault, { name: sessionSecretName, made }), {
    lock: sessionSecretName,
  });
}
