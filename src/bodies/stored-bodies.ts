import type { Selectable } from 'kysely';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Database } from '../store/database.ts';
import { sizedRows } from '../store/sized-rows.ts';
import type { Store } from '../store/store.ts';
import { decodeBodies, type OpenedBodies } from './body-text.ts';
import { ownerOf } from './body-vault.ts';
import { type Deletion, recordDeletion } from './deleted-bodies.ts';

/** Note in the request's record if its bodies were dropped. Stored and compared by value: do not change the text. */
export const bodiesDropped = 'its bodies were not kept: more were on their way to the store than there is room for';

/**
 * Note in the request's record if its bodies were queued. If they are not in the store, they were deleted or lost.
 * Stored and compared by value: do not change the text.
 */
export const bodiesKept = 'its bodies were handed on to be stored, as its key asks for';

/** Facts about stored bodies that need no decryption. */
export interface BodyFacts {
  readonly accountId: string;
  readonly keyId: string;
  readonly storedAt: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
}

/** Selects the bodies of one request, if they are not older than `since`. */
interface BodyQuery {
  readonly id: string;
  readonly since: number;
}

/** Key and time of a deletion on demand. */
type KeyDeletion = Pick<Deletion, 'keyId' | 'at'>;

const deletedAtOnce = 100;

/** Sums of stored bodies, and their deletion because of age or quota. */
export const bodyRows = sizedRows({
  table: 'stored_bodies',
  id: 'request_id',
  at: 'stored_at',
  sums: 'stored_body_sums',
  count: 'requests',
  batchSize: deletedAtOnce,
});

/** The facts about the bodies of a request, if there are any. */
export async function bodyFacts({ db }: Store, { id, since }: BodyQuery): Promise<BodyFacts | undefined> {
  const row = await db
    .selectFrom('stored_bodies')
    .select(['account_id', 'key_id', 'stored_at', 'request_bytes', 'answer_bytes'])
    .where('request_id', '=', id)
    .where('stored_at', '>=', since)
    .executeTakeFirst();
  return row && factsOf(row);
}

/**
 * The bodies of a request, or why they cannot be decrypted: they were encrypted with another secret, or changed since.
 */
export async function bodyReading(
  { db }: Store,
  vault: SecretVault,
  { id, since }: BodyQuery,
): Promise<{ readonly facts: BodyFacts; readonly bodies: OpenedBodies | 'foreign' | 'damaged' } | undefined> {
  const query = db.selectFrom('stored_bodies').selectAll().where('request_id', '=', id).where('stored_at', '>=', since);
  const row = await query.executeTakeFirst();
  if (!row) return undefined;
  const opened = vault.open(ownerOf({ accountId: row.account_id, id }), row.sealed);
  return { facts: factsOf(row), bodies: opened.ok ? decodeBodies(opened.secret) : opened.reason };
}

/** Deletes the bodies of a request of an account, and returns the number of requests that had some. */
export async function deleteBodiesOfRequest(
  store: Store,
  { id, accountId, keyId, at }: KeyDeletion & { readonly id: string; readonly accountId: string },
): Promise<number> {
  return store.transaction(async (tx) => {
    await recordDeletion(tx, { subject: id, keyId, at });
    return bodyRows.delete(tx, [id], accountId);
  });
}

/** Deletes bodies of a key's requests, the oldest first, and returns whether there are more. */
export async function deleteBodiesOfKey(
  store: Store,
  { keyId, at }: KeyDeletion & { readonly keyId: string },
): Promise<{ readonly deleted: number; readonly more: boolean }> {
  return store.transaction(async (tx) => {
    await recordDeletion(tx, { subject: keyId, keyId, at });
    const query = tx.selectFrom('stored_bodies').select('request_id').where('key_id', '=', keyId);
    const rows = await query
      .orderBy('stored_at')
      .limit(deletedAtOnce + 1)
      .execute();
    const ids = rows.slice(0, deletedAtOnce).map(({ request_id: id }) => id);
    return { deleted: await bodyRows.delete(tx, ids), more: rows.length > deletedAtOnce };
  });
}

function factsOf(row: Omit<Selectable<Database['stored_bodies']>, 'request_id' | 'bytes' | 'sealed'>): BodyFacts {
  return {
    accountId: row.account_id,
    keyId: row.key_id,
    storedAt: row.stored_at,
    requestBytes: row.request_bytes,
    answerBytes: row.answer_bytes,
  };
}
