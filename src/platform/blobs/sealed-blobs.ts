import type { Selectable, Transaction } from 'kysely';
import type { OpenedSecret, SecretVault } from '../secrets/secret-vault.ts';
import type { Database } from '../store/database.ts';
import { type DeletionRounds, keptSince, periodicDeletion, type RetentionParts } from '../store/periodic-deletion.ts';
import { databaseNow } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import type { BlobKind } from '../store/tables/blobs.ts';
import type { BytesStored } from './store-blobs.ts';

interface BlobTerms {
  readonly kind: BlobKind;
  /** Blobs per deletion: each may be large, and other requests wait for the same store. */
  readonly batchSize: number;
  readonly deleteReferences?: (tx: Transaction<Database>, ids: readonly string[]) => Promise<unknown>;
  /** Deletes rows that are needed only as long as blobs that were created before this time may exist. */
  readonly deleteRecords?: (store: Store, before: number) => Promise<unknown>;
}

interface BlobName {
  readonly accountId: string;
  readonly id: string;
}

interface BlobQuery {
  readonly ids: readonly string[];
  /** Blobs that are older, by the clock of the database, are not found. Default: any age. */
  readonly keepMs?: number;
  /** Blobs of other accounts are not found. `undefined`: of all accounts. */
  readonly accountId?: string;
}

export type BlobRow = Selectable<Database['sealed_blobs']>;

export interface BlobSum {
  readonly count: number;
  readonly bytes: number;
}

interface AccountSum extends BlobSum {
  readonly accountId: string;
  readonly account: string;
}

interface BlobQuota {
  readonly bytesMax: number;
  /** Blobs that stay, however large they are. */
  readonly except?: readonly string[];
  readonly onError: (error: unknown) => void;
}

/** Context of the encryption: a blob can be decrypted only as this blob of this account. */
export function blobOwner(kind: string, { accountId, id }: BlobName): string {
  return `${kind} ${accountId} ${id}`;
}

/** The encrypted texts of one kind. Every deletion removes rows and updates the sums in one transaction. */
export class SealedBlobs {
  readonly #terms: BlobTerms;

  constructor(terms: BlobTerms) {
    this.#terms = terms;
  }

  seal(vault: SecretVault, name: BlobName, text: string): string {
    return vault.seal(blobOwner(this.#terms.kind, name), text);
  }

  open(vault: SecretVault, { account_id: accountId, id, sealed }: BlobRow): OpenedSecret {
    return vault.open(blobOwner(this.#terms.kind, { accountId, id }), sealed);
  }

  async find(
    { db }: Store,
    { ids, keepMs = Number.POSITIVE_INFINITY, accountId }: BlobQuery,
  ): Promise<readonly BlobRow[]> {
    if (ids.length === 0) return [];
    // With conditions for age and account, SQLite would not use the primary key, and read all blobs of the account.
    const all = this.#select(db).selectAll().select(databaseNow(db).as('now'));
    const rows = await all.where('id', 'in', ids).execute();
    const isFound = (row: (typeof rows)[number]): boolean =>
      row.created_at >= row.now - keepMs && row.account_id === (accountId ?? row.account_id);
    return rows.filter(isFound);
  }

  /** Returns how many were deleted: blobs that do not exist or are of another account do not count. */
  async delete(tx: Transaction<Database>, ids: readonly string[], accountId?: string): Promise<number> {
    if (ids.length === 0) return 0;
    const { kind, deleteReferences } = this.#terms;
    let deletion = tx.deleteFrom('sealed_blobs').where('kind', '=', kind).where('id', 'in', ids);
    if (accountId !== undefined) deletion = deletion.where('account_id', '=', accountId);
    const rows = await deletion.returning(['id', 'account_id', 'bytes']).execute();
    if (rows.length > 0) await deleteReferences?.(tx, idsOf(rows));
    // All processes update accounts in the same order, so that they cannot deadlock.
    for (const account of [...new Set(rows.map((row) => row.account_id))].sort()) {
      const deleted = rows.filter((row) => row.account_id === account);
      const bytes = deleted.reduce((sum, row) => sum + row.bytes, 0);
      await tx
        .updateTable('blob_sums')
        .set((sum) => ({ blobs: sum('blobs', '-', deleted.length), bytes: sum('bytes', '-', bytes) }))
        .where('kind', '=', kind)
        .where('account_id', '=', account)
        .execute();
    }
    return rows.length;
  }

  /** Deletes some of the blobs that were created before this time; returns whether there may be more. */
  async deleteOlder(store: Store, before: number): Promise<boolean> {
    const { batchSize } = this.#terms;
    const old = this.#select(store.db).select('id').where('created_at', '<', before);
    const rows = await old.orderBy('created_at').limit(batchSize).execute();
    if (rows.length > 0) await store.transaction((tx) => this.delete(tx, idsOf(rows)));
    return rows.length === batchSize;
  }

  retention({ store, keepMs, onError }: RetentionParts): DeletionRounds {
    return periodicDeletion({ store, what: this.#terms.kind, onError }, [
      async () => this.deleteOlder(store, await keptSince(store, keepMs)),
      async () => {
        await this.#terms.deleteRecords?.(store, await keptSince(store, keepMs));
        return false;
      },
    ]);
  }

  /** Deletes the oldest blobs beyond the quota. After a failure, the next write of the account tries again. */
  async enforceQuota(store: Store, stored: BytesStored, quota: BlobQuota): Promise<void> {
    for (const [accountId, bytes] of stored) {
      if (bytes > quota.bytesMax) await this.#deleteOldest(store, accountId, quota).catch(quota.onError);
    }
  }

  async #deleteOldest(store: Store, accountId: string, { bytesMax, except = [] }: BlobQuota): Promise<void> {
    const { kind, batchSize } = this.#terms;
    // Other processes may delete at the same time: only under the lock is the excess exact.
    await store.transaction(
      async (tx) => {
        let excess = (await this.total({ db: tx }, accountId)).bytes - bytesMax;
        const oldest = this.#select(tx).select(['id', 'bytes']).where('account_id', '=', accountId);
        const rows = await oldest.orderBy('created_at').limit(batchSize).execute();
        const deleted = rows.filter(({ id, bytes }) => {
          if (excess <= 0 || except.includes(id)) return false;
          excess -= bytes;
          return true;
        });
        await this.delete(tx, idsOf(deleted));
      },
      { lock: `${kind} of ${accountId}` },
    );
  }

  /** The accounts with the most bytes. Contents are never returned. */
  async most({ db }: Store, accountsMax: number): Promise<readonly AccountSum[]> {
    const rows = await db
      .selectFrom('blob_sums')
      .leftJoin('accounts', 'accounts.id', 'blob_sums.account_id')
      .select(['account_id as accountId', 'name', 'blobs as count', 'bytes'])
      .where('kind', '=', this.#terms.kind)
      .where('blobs', '>', 0)
      .orderBy('bytes', 'desc')
      .limit(accountsMax)
      .execute();
    return rows.map(({ name, ...sum }) => ({ ...sum, account: name ?? sum.accountId }));
  }

  async total({ db }: Pick<Store, 'db'>, accountId?: string): Promise<BlobSum> {
    let sums = db.selectFrom('blob_sums').where('kind', '=', this.#terms.kind);
    if (accountId !== undefined) sums = sums.where('account_id', '=', accountId);
    const sum = await sums
      .select(({ fn }) => [fn.sum('blobs').as('count'), fn.sum('bytes').as('bytes')])
      .executeTakeFirst();
    return { count: Number(sum?.count ?? 0), bytes: Number(sum?.bytes ?? 0) };
  }

  #select(db: Store['db']) {
    return db.selectFrom('sealed_blobs').where('kind', '=', this.#terms.kind);
  }
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}
