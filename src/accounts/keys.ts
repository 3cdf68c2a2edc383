import type { KeyObject } from 'node:crypto';
import type { Selectable } from 'kysely';
import { publishChange } from '../cluster/change-feed.ts';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { type AccountId, type KeyId, newKeyId } from './ids.ts';
import { keyDigest } from './key-digest.ts';
import { displayForm, newSecret } from './key-format.ts';

export interface ApiKey {
  readonly id: KeyId;
  readonly accountId: AccountId;
  readonly name: string;
  /** The first and last characters of the secret. */
  readonly display: string;
  /** Model ids, aliases or patterns; `undefined` means no limit of its own. */
  readonly models: readonly string[] | undefined;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  readonly createdAt: number;
  /** Up to a minute late. */
  readonly lastUsedAt: number | undefined;
}

export interface NewKey {
  readonly accountId: AccountId;
  readonly name: string;
  readonly models?: readonly string[];
  readonly expiresAt?: number;
}

interface KeyFilter {
  readonly accountId?: AccountId;
  readonly after?: Pick<ApiKey, 'createdAt'> & { readonly id: string };
  readonly limit?: number;
}

export interface Keys {
  /** Oldest first; a part of them where `limit` says so, from behind the key `after`. */
  list(filter?: KeyFilter): Promise<readonly ApiKey[]>;
  /** By id, display form or name; the last two need not be unique. */
  find(reference: string): Promise<readonly ApiKey[]>;
  /** Says whether there was something to revoke. Running answers go on, the next request is refused. */
  revoke(id: KeyId): Promise<boolean>;
}

/** The keys of all accounts, without their secrets. Every change is told to the running processes in the same transaction. */
export function keys(store: Store, clock: Clock): Keys {
  return {
    async list({ accountId, after, limit } = {}) {
      let query = store.db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id');
      if (accountId !== undefined) query = query.where('account_id', '=', accountId);
      if (after)
        query = query.where((key) => key(key.refTuple('created_at', 'id'), '>', key.tuple(after.createdAt, after.id)));
      if (limit !== undefined) query = query.limit(limit);
      return (await query.execute()).map(fromRow);
    },
    async find(reference) {
      const display = reference.replace(/\.{2,3}/, '…');
      const rows = await store.db
        .selectFrom('api_keys')
        .selectAll()
        .where((key) => key.or([key('id', '=', reference), key('display', '=', display), key('name', '=', reference)]))
        .orderBy('created_at')
        .execute();
      return rows.map(fromRow);
    },
    revoke: (id) =>
      store.transaction(async (tx) => {
        const revoked = await tx
          .updateTable('api_keys')
          .set({ revoked_at: clock.now() })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        await publishChange(tx, { topic: 'key', subject: id }, clock.now());
        return revoked.numUpdatedRows > 0n;
      }),
  };
}

/** Makes a key. This is the only moment its secret exists outside the client. */
export async function createKey(
  parts: { store: Store; clock: Clock; pepper: KeyObject },
  { accountId, name, models, expiresAt }: NewKey,
): Promise<{ key: ApiKey; secret: string }> {
  const secret = newSecret();
  const row: Row = {
    id: newKeyId(),
    account_id: accountId,
    name,
    digest: keyDigest(parts.pepper, secret),
    display: displayForm(secret),
    models: models ? JSON.stringify(models) : null,
    expires_at: expiresAt ?? null,
    revoked_at: null,
    created_at: parts.clock.now(),
    last_used_at: null,
  };
  await parts.store.transaction(async (tx) => {
    await tx.insertInto('api_keys').values(row).execute();
    await publishChange(tx, { topic: 'key', subject: row.id }, row.created_at);
  });
  return { key: fromRow(row), secret };
}

/** What a key is good for at a moment, its account left aside. */
export function keyState(key: ApiKey, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active';
}

type Row = Selectable<Database['api_keys']>;

function fromRow(row: Row): ApiKey {
  return {
    id: row.id as KeyId,
    accountId: row.account_id as AccountId,
    name: row.name,
    display: row.display,
    models: row.models === null ? undefined : (JSON.parse(row.models) as string[]),
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
