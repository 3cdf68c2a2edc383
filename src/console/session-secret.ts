import { keyDigest, type Pepper } from '../accounts/key-digest.ts';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Store } from '../store/store.ts';

/** Its place among the settings, and what it is sealed for. */
export const sessionSecretName = 'session-secret';

/**
 * The secret that sessions and second factors are kept with. It stays when the secret of the gateway changes: second factors
 * could be read by no other. The store has it sealed; a store from before has the one that its first secret gives.
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
      // A value that no configured secret opens is lost, and the sessions with it.
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
