import type { Selectable } from 'kysely';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Database } from '../store/database.ts';
import { sizedRows } from '../store/sized-rows.ts';
import type { Store } from '../store/store.ts';
import { decodeBodies, type OpenedBodies } from './body-text.ts';
import { ownerOf } from './body-vault.ts';
import { type Deletion, noteDeletion } from './deleted-bodies.ts';

/** What a request's record notes where its bodies were given up. */
export const bodiesDropped = 'its bodies were not kept: more were on their way to the store than there is room for';

/** What it notes where they were on their way: if they are not in the store, something became of them. */
export const bodiesKept = 'its bodies were handed on to be stored, as its key asks for';

/** What is known of stored bodies without opening them. */
export interface BodyFacts {
  readonly accountId: string;
  readonly keyId: string;
  readonly storedAt: number;
  readonly requestBytes: number;
  readonly answerBytes: number;
}

/** Which bodies: of one request, and not older than that. */
interface Which {
  readonly id: string;
  readonly since: number;
}

/** Whose key the bodies are of that somebody deletes, and when. */
type OnDemand = Pick<Deletion, 'keyId' | 'at'>;

const deletedAtOnce = 100;

/** How many there are, and their deletion where they are too old or an account has too many. */
export const bodyRows = sizedRows({
  table: 'stored_bodies',
  id: 'request_id',
  at: 'stored_at',
  sums: 'stored_body_sums',
  count: 'requests',
  atOnce: deletedAtOnce,
});

/** That there are bodies of a request, and how large they were. */
export async function bodyFacts({ db }: Store, { id, since }: Which): Promise<BodyFacts | undefined> {
  const row = await db
    .selectFrom('stored_bodies')
    .select(['account_id', 'key_id', 'stored_at', 'request_bytes', 'answer_bytes'])
    .where('request_id', '=', id)
    .where('stored_at', '>=', since)
    .executeTakeFirst();
  return row && factsOf(row);
}

/** The bodies of a request, or why they do not open: they were sealed with another secret, or changed since. */
export async function bodyReading(
  { db }: Store,
  vault: SecretVault,
  { id, since }: Which,
): Promise<{ readonly facts: BodyFacts; readonly bodies: OpenedBodies | 'foreign' | 'damaged' } | undefined> {
  const query = db.selectFrom('stored_bodies').selectAll().where('request_id', '=', id).where('stored_at', '>=', since);
  const row = await query.executeTakeFirst();
  if (!row) return undefined;
  const opened = vault.open(ownerOf({ accountId: row.account_id, id }), row.sealed);
  return { facts: factsOf(row), bodies: opened.ok ? decodeBodies(opened.secret) : opened.reason };
}

/** Deletes the bodies of a request of an account, and says of how many requests there were some. */
export async function deleteBodiesOfRequest(
  store: Store,
  { id, accountId, keyId, at }: OnDemand & { readonly id: string; readonly accountId: string },
): Promise<number> {
  return store.transaction(async (tx) => {
    await noteDeletion(tx, { subject: id, keyId, at });
    return bodyRows.delete(tx, [id], accountId);
  });
}

/** Deletes bodies of a key's requests, the oldest first, and says whether there are more of them. */
export async function deleteBodiesOfKey(
  store: Store,
  { keyId, at }: OnDemand & { readonly keyId: string },
): Promise<{ readonly deleted: number; readonly more: boolean }> {
  return store.transaction(async (tx) => {
    await noteDeletion(tx, { subject: keyId, keyId, at });
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
