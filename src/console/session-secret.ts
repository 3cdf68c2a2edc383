import { keyDigest, type Pepper } from '../accounts/key-digest.ts';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Store } from '../store/store.ts';

/** Name of the row in `settings`, and the name that the value is sealed under. */
export const sessionSecretName = 'session-secret';

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
  return store.transaction(
    async (tx) => {
      const settings = tx.selectFrom('settings').select('value').where('name', '=', sessionSecretName);
      const known = await settings.executeTakeFirst();
      const opened = known && vault.open(sessionSecretName, known.value);
      if (opened?.ok) return opened.secret;
      // If no configured secret opens the value, it is lost, and all sessions with it.
      const value = vault.seal(sessionSecretName, made);
      await tx
        .insertInto('settings')
        .values({ name: sessionSecretName, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
      return made;
    },
    { lock: 'session-secret' },
  );
}
