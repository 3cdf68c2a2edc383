import type { Kysely } from 'kysely';
import { publishChange } from '../../platform/cluster/change-feed.ts';
import type { AccountSpec, KeySpec } from '../../platform/config/schema/account.ts';
import type { Clock } from '../../core/time/clock.ts';
import { nanoFrom } from '../../core/money.ts';
import type { Database } from '../../platform/store/database.ts';
import type { AccountId } from './ids.ts';
import { keyDigests, type Pepper } from '../../platform/secrets/key-digest.ts';
import { wellFormed } from './secret-format.ts';
import { insertKey, type KeyRow, newKeyRow, type StoredSecret, storedSecret } from './keys.ts';
import { importedSecret, storedKey } from './import-key.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

interface KeyParts {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly pepper: Pepper;
}

/**
 * Creates the keys of the configuration file, which are identified by their secrets, and updates the name and limits of
 * existing ones. A revoked key stays revoked, and keys created elsewhere stay unchanged.
 */
export async function ensureKeys(parts: KeyParts, accounts: readonly AccountSpec[]): Promise<void> {
  for (const { name, keys = [] } of accounts) {
    if (keys.length === 0) continue;
    const account = parts.db.selectFrom('accounts').select('id').where('name', '=', name);
    const { id } = await account.executeTakeFirstOrThrow();
    for (const key of keys) await ensureKey(parts, id as AccountId, key);
  }
}

async function ensureKey({ db, clock, pepper }: KeyParts, accountId: AccountId, spec: KeySpec): Promise<void> {
  const { known, stored } = spec.scheme ? await foreignKey(db, pepper, spec) : await ownKey(db, pepper, spec);
  const terms = {
    ...spec,
    spendCap: spec.spendCap === undefined ? undefined : nanoFrom(spec.spendCap),
    expiresAt: spec.expiresAt === undefined ? undefined : Date.parse(spec.expiresAt),
  };
  const row = newKeyRow({ accountId, ...terms }, { now: clock.now(), stored });
  if (!known) return insertKey(db, row);
  if (known.account_id !== accountId) {
    throw new GatewayError('invalid-request', { reason: reason('key_of_other_account', { name: spec.name }) });
  }
  // The file can switch storing off, but not on: the account may have switched it off since.
  const names = spec.storeBodies === false ? ([...fileColumns, 'store_bodies'] as const) : fileColumns;
  if (names.every((name) => known[name] === row[name])) return;
  const fields = Object.fromEntries(names.map((name) => [name, row[name]]));
  await db.updateTable('api_keys').set(fields).where('id', '=', known.id).execute();
  await publishChange(db, { topic: 'key', subject: known.id });
}

/** The stored key with the secret of an entry, and what the store should have of that secret. */
interface KeyOfFile {
  readonly known: KeyRow | undefined;
  readonly stored: StoredSecret;
}

async function ownKey(db: Kysely<Database>, pepper: Pepper, { name, secret }: KeySpec): Promise<KeyOfFile> {
  if (!wellFormed(secret)) {
    throw new Error(
      `The secret of the key ${name} is invalid: its checksum is wrong. Create one with: chat-gateway keys secret`,
    );
  }
  const query = db.selectFrom('api_keys').selectAll().where('digest', 'in', keyDigests(pepper, secret));
  return { known: await query.executeTakeFirst(), stored: storedSecret(pepper, secret) };
}

async function foreignKey(db: Kysely<Database>, pepper: Pepper, { secret, scheme }: KeySpec): Promise<KeyOfFile> {
  const foreign = { secret, scheme: scheme ?? 'plain' };
  return { known: await storedKey(db, pepper, foreign), stored: importedSecret(pepper, foreign) };
}

const fileColumns = [
  ...(['name', 'models', 'scheme', 'digest', 'digest_secret', 'display'] as const),
  ...(['spend_cap', 'cap_period', 'max_concurrency'] as const),
  ...(['addresses', 'expires_at', 'honour_stream_false', 'report_cost'] as const),
];
