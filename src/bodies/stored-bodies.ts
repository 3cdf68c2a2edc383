import { type Selectable, sql, type Transaction } from 'kysely';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Database } from '../store/database.ts';
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

/** What an account has in the store. */
export interface StoredSum {
  readonly accountId: string;
  /** Its name. */
  readonly account: string;
  readonly requests: number;
  readonly bytes: number;
}

/** Which bodies: of one request, and not older than that. */
interface Which {
  readonly id: string;
  readonly since: number;
}

/** Whose key the bodies are of that somebody deletes, and when. */
type OnDemand = Pick<Deletion, 'keyId' | 'at'>;

/** So many are deleted at a time: each may be large, and others wait for the same store. */
const deletedAtOnce = 100;

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
    return deleteAll(tx, [id], accountId);
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
    return { deleted: await deleteAll(tx, ids), more: rows.length > deletedAtOnce };
  });
}

/** Deletes some of those that are older than that, and says whether there may be more. */
export async function deleteOlderBodies(store: Store, before: number): Promise<boolean> {
  const query = store.db.selectFrom('stored_bodies').select('request_id').where('stored_at', '<', before);
  const rows = await query.orderBy('stored_at').limit(deletedAtOnce).execute();
  const ids = rows.map(({ request_id: id }) => id);
  await store.transaction((tx) => deleteAll(tx, ids));
  return rows.length === deletedAtOnce;
}

/** Deletes the oldest of an account until so many bytes are freed. */
export async function deleteOldestBodies(
  store: Store,
  { accountId, excess }: { readonly accountId: string; readonly excess: number },
): Promise<void> {
  const query = store.db
    .selectFrom('stored_bodies')
    .select(['request_id', 'bytes'])
    .where('account_id', '=', accountId);
  let left = excess;
  const ids: string[] = [];
  for (const { request_id: id, bytes } of await query.orderBy('stored_at').limit(deletedAtOnce).execute()) {
    if (left <= 0) break;
    ids.push(id);
    left -= bytes;
  }
  await store.transaction((tx) => deleteAll(tx, ids));
}

/** Of how many requests there are bodies and how large they are, of the accounts that have most: never what is in them. */
export async function storedSums({ db }: Store, accountsMax: number): Promise<readonly StoredSum[]> {
  const rows = await db
    .selectFrom('stored_body_sums')
    .leftJoin('accounts', 'accounts.id', 'stored_body_sums.account_id')
    .select(['account_id', 'accounts.name', 'requests', 'bytes'])
    .where('requests', '>', 0)
    .orderBy('bytes', 'desc')
    .limit(accountsMax)
    .execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    account: row.name ?? row.account_id,
    requests: row.requests,
    bytes: row.bytes,
  }));
}

/** The same of one account, or of all together. */
export async function storedSum(
  { db }: Store,
  accountId: string | undefined,
): Promise<Pick<StoredSum, 'requests' | 'bytes'>> {
  const { requests, bytes } = await db
    .selectFrom('stored_body_sums')
    .select((all) => [all.fn.sum('requests').as('requests'), all.fn.sum('bytes').as('bytes')])
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .executeTakeFirstOrThrow();
  return { requests: Number(requests ?? 0), bytes: Number(bytes ?? 0) };
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

/** Deletes bodies and takes them off the sums; says how many there were. */
async function deleteAll(tx: Transaction<Database>, ids: readonly string[], accountId?: string): Promise<number> {
  if (ids.length === 0) return 0;
  const query = tx.deleteFrom('stored_bodies').where('request_id', 'in', ids);
  const own = accountId === undefined ? query : query.where('account_id', '=', accountId);
  const deleted = await own.returning(['account_id', 'bytes']).execute();
  const sums = new Map<string, { requests: number; bytes: number }>();
  for (const { account_id: id, bytes } of deleted) {
    const sum = sums.get(id) ?? { requests: 0, bytes: 0 };
    sums.set(id, { requests: sum.requests + 1, bytes: sum.bytes + bytes });
  }
  // In one order everywhere, so that two processes never lock each other out.
  for (const [id, { requests, bytes }] of [...sums].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const less = { requests: sql<number>`requests - ${requests}`, bytes: sql<number>`bytes - ${bytes}` };
    await tx.updateTable('stored_body_sums').set(less).where('account_id', '=', id).execute();
  }
  return deleted.length;
}
