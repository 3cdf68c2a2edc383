import type { Kysely } from 'kysely';
import { publishChange } from '../cluster/change-feed.ts';
import type { AccountSpec, KeySpec } from '../config/schema/account.ts';
import type { Clock } from '../core/time/clock.ts';
import { nanoFrom } from '../core/money.ts';
import type { Database } from '../store/database.ts';
import type { AccountId } from './ids.ts';
import { keyDigests, type Pepper } from './key-digest.ts';
import { wellFormed } from './key-format.ts';
import { insertKey, newKeyRow } from './keys.ts';

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
  const { secret } = spec;
  if (!wellFormed(secret)) {
    throw new Error(
      `The secret of the key ${spec.name} is invalid: its checksum is wrong. Create one with: chat-gateway keys secret`,
    );
  }
  const digests = keyDigests(pepper, secret);
  const known = await db.selectFrom('api_keys').selectAll().where('digest', 'in', digests).executeTakeFirst();
  const row = newKeyRow(pepper, { accountId, ...termsOf(spec) }, { now: clock.now(), secret });
  if (!known) return insertKey(db, row);
  if (known.account_id !== accountId) {
    throw new Error(
      `The secret of the key ${spec.name} already belongs to a key of another account. Every key needs its own secret.`,
    );
  }
  const {
    name,
    models,
    digest,
    digest_secret,
    spend_cap,
    cap_period,
    max_concurrency,
    addresses,
    expires_at,
    honour_stream_false,
    report_cost,
  } = row;
  const limits = { spend_cap, cap_period, max_concurrency, addresses, expires_at, honour_stream_false, report_cost };
  // The file can switch storing off, but not on: the account may have switched it off since.
  const fields = {
    name,
    models,
    digest,
    digest_secret,
    ...limits,
    ...(spec.storeBodies === false && { store_bodies: 0 }),
  };
  const changed = Object.entries(fields).some(([field, value]) => known[field as keyof typeof fields] !== value);
  if (!changed) return;
  await db.updateTable('api_keys').set(fields).where('id', '=', known.id).execute();
  await publishChange(db, { topic: 'key', subject: known.id });
}

function termsOf({ name, models, spendCap, ...key }: KeySpec) {
  const { capPeriod, maxConcurrency, addresses, expiresAt, honourStreamFalse, reportCost, storeBodies } = key;
  return {
    name,
    models,
    spendCap: spendCap === undefined ? undefined : nanoFrom(spendCap),
    capPeriod,
    maxConcurrency,
    addresses,
    expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt),
    honourStreamFalse,
    reportCost,
    storeBodies,
  };
}
