import type { Kysely } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';

/** `name`: of its row in `settings`, which it is sealed under. `made`: its value if the store has none yet. */
interface LastingSecret {
  readonly name: string;
  readonly made: string;
}

/**
 * A secret that stays the same when the secret of the gateway changes. The store has it sealed. Call it in a
 * transaction with a lock.
 */
export async function openLastingSecret(
  tx: Kysely<Database>,
  vault: SecretVault,
  { name, made }: LastingSecret,
): Promise<string> {
  const known = await tx.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  const opened = known && vault.open(name, known.value);
  if (opened?.ok) return opened.secret;
  // If no configured secret opens the value, it is lost.
  const value = vault.seal(name, made);
  await tx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
  return made;
}
