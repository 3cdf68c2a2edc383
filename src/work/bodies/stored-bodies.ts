import { createSecretKey } from 'node:crypto';
import type { Transaction } from 'kysely';
import { type BlobRow, SealedBlobs } from '../../platform/blobs/sealed-blobs.ts';
import { type SecretVault, secretVault } from '../../platform/secrets/secret-vault.ts';
import type { Store } from '../../platform/store/store.ts';
import { decodeBodies, type OpenedBodies } from './body-text.ts';
import type { Database } from '../../platform/store/database.ts';
import { engineOf } from '../../platform/store/engine.ts';

/** Note in the request's record if its bodies were dropped. Stored and compared by value: do not change the text. */
export const bodiesDropped = 'its bodies were not kept: more were on their way to the store than there is room for';

/** The note for queued bodies. If they are not in the store, they were deleted or lost. Do not change the text. */
export const bodiesKept = 'its bodies were handed on to be stored, as its key asks for';

/** Facts about stored bodies that need no decryption. */
export interface BodyFacts {
  readonly accountId: string;
  readonly keyId: string;
  readonly storedAt: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
}

/** Selects the bodies of one request, if they are not older than `keepMs`. Default: any age. */
interface BodyQuery {
  readonly id: string;
  readonly keepMs?: number;
}

type KeyDeletion = Pick<Deletion, 'keyId' | 'at'>;

const deletedAtOnce = 100;

/** The bodies of each request in one encrypted text. */
export const storedBodies = new SealedBlobs({
  kind: 'bodies',
  batchSize: deletedAtOnce,
  deleteRecords: forgetDeletions,
});

/** The key is derived from the secret of bodies or, without one, from the gateway's secret. */
export function bodyVault(
  pepper: Parameters<typeof secretVault>[0],
  settings: { readonly secret?: string | undefined } | undefined,
): SecretVault {
  const secret = settings?.secret;
  const from = secret === undefined ? pepper : createSecretKey(Buffer.from(secret));
  return secretVault(from, 'chat-gateway stored bodies');
}

export async function bodyFacts(store: Store, { id, ...age }: BodyQuery): Promise<BodyFacts | undefined> {
  const [row] = await storedBodies.find(store, { ids: [id], ...age });
  return row && factsOf(row);
}

/** `foreign`: encrypted with another secret. `damaged`: changed since. */
export async function bodyReading(
  store: Store,
  vault: SecretVault,
  { id, ...age }: BodyQuery,
): Promise<{ readonly facts: BodyFacts; readonly bodies: OpenedBodies | 'foreign' | 'damaged' } | undefined> {
  const [row] = await storedBodies.find(store, { ids: [id], ...age });
  if (!row) return undefined;
  const opened = storedBodies.open(vault, row);
  return { facts: factsOf(row), bodies: opened.ok ? decodeBodies(opened.secret) : opened.reason };
}

/** Deletes the bodies of a request of an account, and returns the number of requests that had some. */
export async function deleteBodiesOfRequest(
  store: Store,
  { id, accountId, keyId, at }: KeyDeletion & { readonly id: string; readonly accountId: string },
): Promise<number> {
  return store.transaction(async (tx) => {
    await recordDeletion(tx, { subject: id, keyId, at });
    return storedBodies.delete(tx, [id], accountId);
  });
}

/** Deletes bodies of a key's requests, the oldest first, and returns whether there are more. */
export async function deleteBodiesOfKey(
  store: Store,
  { keyId, at }: KeyDeletion & { readonly keyId: string },
): Promise<{ readonly deleted: number; readonly more: boolean }> {
  return store.transaction(async (tx) => {
    await recordDeletion(tx, { subject: keyId, keyId, at });
    const query = tx.selectFrom('sealed_blobs').select('id').where('kind', '=', 'bodies').where('key_id', '=', keyId);
    const rows = await query
      .orderBy('created_at')
      .limit(deletedAtOnce + 1)
      .execute();
    const ids = rows.slice(0, deletedAtOnce).map(({ id }) => id);
    return { deleted: await storedBodies.delete(tx, ids), more: rows.length > deletedAtOnce };
  });
}

function factsOf(row: BlobRow): BodyFacts {
  return {
    accountId: row.account_id,
    keyId: row.key_id ?? '',
    storedAt: row.created_at,
    requestBytes: row.request_bytes ?? 0,
    answerBytes: row.answer_bytes ?? 0,
  };
}

interface Deletion {
  /** A request, or a key: then the bodies of all its requests until then. */
  readonly subject: string;
  readonly keyId: string | undefined;
  readonly at: number;
}

/**
 * Records a deletion on demand for as long as bodies are kept. Deleted bodies may still wait in a process to be stored,
 * or be stored again by a process whose commit was not confirmed. The deletion locks the key's row exclusively, and
 * storing locks it shared (`storing-job`). So each sees all that the other committed before it.
 */
async function recordDeletion(tx: Transaction<Database>, { subject, keyId, at }: Deletion): Promise<void> {
  if (keyId !== undefined && engineOf(tx) === 'postgres') {
    await tx.selectFrom('api_keys').select('id').where('id', '=', keyId).forUpdate().execute();
  }
  await tx
    .insertInto('deleted_bodies')
    .values({ subject, deleted_at: at })
    .onConflict((row) => row.column('subject').doUpdateSet({ deleted_at: at }))
    .execute();
}

/** Removes the records of deletions before this time, when bodies that old are no longer shown. */
export async function forgetDeletions({ db }: Store, before: number): Promise<void> {
  await db.deleteFrom('deleted_bodies').where('deleted_at', '<=', before).execute();
}
