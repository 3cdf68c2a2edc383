import { type RawBuilder, sql } from 'kysely';
import { type Pepper, secretId } from '../platform/secrets/key-digest.ts';
import { forgetOthers } from '../platform/secrets/pepper.ts';
import { blobOwner } from '../platform/blobs/sealed-blobs.ts';
import { bodyVault } from '../work/bodies/stored-bodies.ts';
import { catalogLock, readRows } from '../money/catalog/resource-rows.ts';
import { type SecretVault, secretVault } from '../platform/secrets/secret-vault.ts';
import { withRenewedSecrets } from '../money/catalog/stored-secrets.ts';
import { ownerOf as emailOwner } from '../operate/notifications/email/post-email.ts';
import { ownerOf as webhookOwner } from '../operate/notifications/webhooks/webhook-endpoints.ts';
import type { Store } from '../platform/store/store.ts';
import { ownerOf as replyOwner } from '../serving/surfaces/replies/idempotency-claims.ts';

/** The result of re-encrypting everything with the current secret, and the values that are renewed only when used. */
export interface SecretRenewal {
  /** How many values were re-encrypted. */
  readonly sealed: number;
  /** Values of former secrets that cannot be decrypted; they were lost before. */
  readonly unreadable: number;
  /** Usable keys that were created with a former secret and not used since; at most 100 of them. */
  readonly keys: readonly UnrenewedKey[];
  readonly keyCount: number;
  readonly tokens: readonly { readonly id: string; readonly name: string }[];
  readonly codes: number;
  /** No value needs a former secret any more; the store has recorded this. */
  readonly isComplete: boolean;
}

export interface UnrenewedKey {
  readonly id: string;
  readonly name: string;
  readonly account: string;
}

const maxKeysShown = 100;

/** Gateways that have both secrets may run at the same time. */
export async function renewSecret(store: Store, pepper: Pepper, now: number): Promise<SecretRenewal> {
  const vault = secretVault(pepper);
  const sealed = { renewed: await renewResources(store, vault), unreadable: 0 };
  for (const column of sealedColumns) {
    const done = await renewColumn(store, column, column.isOfBodies ? bodyVault(pepper, undefined) : vault);
    sealed.renewed += done.renewed;
    sealed.unreadable += done.unreadable;
  }
  return store.transaction(
    async (tx) => {
      const unrenewed = await findUnrenewed({ ...store, db: tx }, pepper, now);
      const isComplete = unrenewed.keyCount + unrenewed.tokens.length + unrenewed.codes === 0;
      if (isComplete) await forgetOthers(tx, pepper);
      return { sealed: sealed.renewed, unreadable: sealed.unreadable, ...unrenewed, isComplete };
    },
    { lock: 'pepper' },
  );
}

/** A column of encrypted values, the ids of its rows, and the owner that each value is encrypted for. */
interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly ids: readonly string[];
  /** Further columns that `owner` reads. */
  readonly more?: readonly string[];
  readonly owner: (row: SecretRow) => string;
  readonly isOfBodies?: true;
}

type SecretRow = Readonly<Record<string, string>>;

const sealedBlobs: SealedColumn = {
  table: 'sealed_blobs',
  column: 'sealed',
  ids: ['kind', 'id'],
  more: ['account_id'],
  owner: ({ kind = '', id = '', account_id: accountId = '' }) => blobOwner(kind, { accountId, id }),
};

const sealedColumns: readonly SealedColumn[] = [
  { table: 'settings', column: 'value', ids: ['name'], owner: ({ name = '' }) => name },
  { table: 'delivery_endpoints', column: 'secret', ids: ['id'], owner: ({ id = '' }) => webhookOwner(id) },
  { table: 'delivery_endpoints', column: 'old_secret', ids: ['id'], owner: ({ id = '' }) => webhookOwner(id) },
  { table: 'deliveries', column: 'payload', ids: ['id'], owner: ({ id = '' }) => emailOwner(id) },
  sealedBlobs,
  // A vault selects the values of its own keys: bodies and other blobs are encrypted with different ones.
  { ...sealedBlobs, isOfBodies: true },
  { table: 'reply_pieces', column: 'sealed', ids: ['claim', 'start'], owner: ({ claim = '' }) => replyOwner(claim) },
];

async function renewResources(store: Store, vault: SecretVault): Promise<number> {
  return store.transaction(async (tx) => {
    let renewed = 0;
    for (const { kind, name, spec } of await readRows(tx)) {
      const before = JSON.stringify(spec);
      const after = JSON.stringify(withRenewedSecrets(spec, vault));
      if (after === before) continue;
      renewed += 1;
      const own = tx.updateTable('resources').where('kind', '=', kind).where('name', '=', name);
      await own.set({ spec: after }).execute();
    }
    return renewed;
  }, catalogLock);
}

const rowsPerBatch = 50;

/** Short statements, so that a large table blocks no query. Skips a value that another writer has changed. */
async function renewColumn(store: Store, { table, column, ids, more = [], owner }: SealedColumn, vault: SecretVault) {
  const done = { renewed: 0, unreadable: 0 };
  if (vault.formerBeginnings.length === 0) return done;
  const value = sql.ref(column);
  const columns = sql.join([...ids, ...more].map((name) => sql.ref(name)));
  const order = sql.join(ids.map((name) => sql.ref(name)));
  const rowKey = sql`(${order})`;
  const rowKeyOf = (row: SecretRow): RawBuilder<unknown> => sql`(${sql.join(ids.map((name) => row[name]))})`;
  const isFormer = sql.join(
    vault.formerBeginnings.map((beginning) => sql`${value} like ${`${beginning}%`}`),
    sql` or `,
  );
  for (let after: SecretRow | undefined; ; ) {
    const beyond = after ? sql` and ${rowKey} > ${rowKeyOf(after)}` : sql``;
    const { rows } = await sql<SecretRow>`select ${columns}, ${value} as sealed_value from ${sql.table(table)}
      where (${isFormer})${beyond} order by ${order} limit ${sql.lit(rowsPerBatch)}`.execute(store.db);
    for (const row of rows) {
      const before = row['sealed_value'] ?? '';
      const opened = vault.open(owner(row), before);
      done[opened.ok ? 'renewed' : 'unreadable'] += 1;
      if (!opened.ok) continue;
      await sql`update ${sql.table(table)} set ${value} = ${vault.seal(owner(row), opened.secret)}
        where ${rowKey} = ${rowKeyOf(row)} and ${value} = ${before}`.execute(store.db);
    }
    after = rows.at(-1);
    if (!after) return done;
  }
}

async function findUnrenewed({ db }: Pick<Store, 'db'>, pepper: Pepper, now: number) {
  const current = secretId(pepper);
  const keys = db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .where('api_keys.revoked_at', 'is', null)
    .where((row) => row.or([row('api_keys.expires_at', 'is', null), row('api_keys.expires_at', '>', now)]))
    .where('api_keys.digest_secret', '!=', current);
  const tokens = db.selectFrom('admin_tokens').select(['id', 'name']).where('revoked_at', 'is', null);
  const codes = db
    .selectFrom('redemption_codes as code')
    .innerJoin('code_batches as batch', 'batch.id', 'code.batch_id')
    .where('code.redeemed_at', 'is', null)
    .where('code.withdrawn_at', 'is', null)
    .where((row) => row.or([row('batch.expires_at', 'is', null), row('batch.expires_at', '>', now)]))
    .where('code.digest_secret', '!=', current);
  const counted = sql<number | string>`count(*)`.as('count');
  return {
    keys: await keys
      .select(['api_keys.id as id', 'api_keys.name as name', 'accounts.name as account'])
      .orderBy('api_keys.created_at')
      .limit(maxKeysShown)
      .execute(),
    keyCount: Number((await keys.select(counted).executeTakeFirstOrThrow()).count),
    tokens: await tokens.where('digest_secret', '!=', current).orderBy('created_at').execute(),
    codes: Number((await codes.select(counted).executeTakeFirstOrThrow()).count),
  };
}
