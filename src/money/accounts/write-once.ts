import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import { isOneOf, keyDigest, keyDigests, type Pepper } from '../../platform/secrets/key-digest.ts';

export interface WriteParts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly pepper: Pepper;
}

/** A write that its client may retry because it did not receive the reply. */
export interface WriteClaim {
  /** The account or caller whose keys these are: others never find the reply. It may have `writesMax` of them. */
  readonly owner: string;
  /** The `Idempotency-Key` header, or another name of the write. */
  readonly key: string;
  /** The whole request. The key is valid for this text only. */
  readonly request: string;
  /** Writes before this time are forgotten. Default: 24 hours ago. */
  readonly since?: number;
  /** No retry: it forgets an earlier write. */
  readonly isFirst?: boolean;
}

const retentionMs = 86_400_000;
/** Beyond it, the oldest writes of the owner are forgotten, but none that its client may still be retrying. */
export const writesMax = 10_000;
/** Client libraries wait 10 minutes for a reply. */
export const retriedMs = 15 * 60_000;
const forgottenAtOnce = 100;

/** The header's value. Throws if it is no valid key. */
export function requireClientKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new GatewayError('invalid-request', { reason: reason('idempotency_key_invalid') });
}

/** Whether there is an earlier write. Then the write does not run again, and needs no checks before. */
export async function isWritten(
  { store, clock, pepper }: WriteParts,
  { owner, key, since = clock.now() - retentionMs, isFirst = false }: Omit<WriteClaim, 'request'>,
): Promise<boolean> {
  if (isFirst) return false;
  const known = await store.db
    .selectFrom('admin_writes')
    .select('at')
    .where('token_id', '=', owner)
    .where('key_digest', 'in', keyDigests(pepper, key))
    .where('at', '>=', since)
    .executeTakeFirst();
  return known !== undefined;
}

/**
 * Runs the write and stores its reply, or returns the stored reply. Must run in the transaction of the write: a second
 * request with the same key waits for the first, and a failed write can be retried.
 */
export async function writeOnce(
  { store, clock, pepper }: WriteParts,
  { owner, key, request, since = 0, isFirst = false }: WriteClaim,
  write: () => Promise<string>,
): Promise<string> {
  const storedReply = (known: StoredWrite | undefined): string => {
    if (!known || known.reply === null || !isOneOf(keyDigests(pepper, request), known.request_digest)) {
      throw new GatewayError('invalid-request', { reason: reason('idempotency_key_reused') });
    }
    return openReply(pepper, sealedFor(owner, known.key_digest), known.reply);
  };
  const claim = { token_id: owner, key_digest: keyDigest(pepper, key) };
  await store.db
    .deleteFrom('admin_writes')
    .where('at', '<', clock.now() - retentionMs)
    .execute();
  const digests = keyDigests(pepper, key);
  if (since > 0) {
    const own = store.db.deleteFrom('admin_writes').where('token_id', '=', owner).where('key_digest', 'in', digests);
    await own.where('at', '<', since).execute();
  }
  const [, ...otherDigests] = digests;
  // Stored while the gateway had another secret.
  const earlier = otherDigests.length > 0 && !isFirst ? await findWrite(store, owner, otherDigests) : undefined;
  if (earlier) return storedReply(earlier);
  const row = { request_digest: keyDigest(pepper, request), reply: null, at: clock.now() };
  const claimed = await store.db
    .insertInto('admin_writes')
    .values({ ...claim, ...row })
    .onConflict((conflict) => {
      const columns = conflict.columns(['token_id', 'key_digest']);
      return isFirst ? columns.doUpdateSet(row) : columns.doNothing();
    })
    .executeTakeFirst();
  if (claimed.numInsertedOrUpdatedRows === 0n) {
    return storedReply(await findWrite(store, owner, [claim.key_digest]));
  }
  await forgetMany(store, owner, clock.now());
  const reply = await write();
  await store.db
    .updateTable('admin_writes')
    .set({ reply: sealReply(pepper, sealedFor(owner, claim.key_digest), reply) })
    .where('token_id', '=', claim.token_id)
    .where('key_digest', '=', claim.key_digest)
    .execute();
  return reply;
}

/** Of several transactions, each sees the rows of those before it. */
function forgetMany(store: Store, owner: string, now: number): Promise<void> {
  const forget = async (db: Kysely<Database>): Promise<void> => {
    const own = db.selectFrom('admin_writes').where('token_id', '=', owner);
    const { count } = await own
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) <= writesMax) return;
    const old = own.select('key_digest').where('at', '<', now - retriedMs);
    const forgotten = await db
      .deleteFrom('admin_writes')
      .where('token_id', '=', owner)
      .where('key_digest', 'in', old.orderBy('at').limit(forgottenAtOnce))
      .executeTakeFirst();
    if (forgotten.numDeletedRows > 0n) return;
    throw new GatewayError('overloaded', { reason: reason('too_many_retriable', { max: writesMax }) });
  };
  return store.transaction(forget, { lock: `writes of ${owner}` });
}

type StoredWrite = Pick<Selectable<Database['admin_writes']>, 'key_digest' | 'request_digest' | 'reply'>;

function findWrite(store: Store, owner: string, digests: readonly string[]): Promise<StoredWrite | undefined> {
  return store.db
    .selectFrom('admin_writes')
    .select(['key_digest', 'request_digest', 'reply'])
    .where('token_id', '=', owner)
    .where('key_digest', 'in', digests)
    .executeTakeFirst();
}

function sealedFor(owner: string, keyDigestText: string): string {
  return `${owner} ${keyDigestText}`;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a reply, because it may hold a new secret. Opening it needs the pepper and the same `owner`. */
function sealReply(pepper: KeyObject, owner: string, reply: string): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, sealingKey(pepper), nonce).setAAD(Buffer.from(owner));
  return Buffer.concat([nonce, sealing.update(reply, 'utf8'), sealing.final(), sealing.getAuthTag()]).toString(
    'base64',
  );
}

function openReply(pepper: Pepper, owner: string, sealed: string): string {
  for (const each of pepper.others ?? []) {
    try {
      return openedWith(each, owner, sealed);
    } catch {
      // Sealed with another pepper.
    }
  }
  return openedWith(pepper, owner, sealed);
}

function openedWith(pepper: KeyObject, owner: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const opening = createDecipheriv(cipher, sealingKey(pepper), bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(-tagBytes));
  return opening.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
}

function sealingKey(pepper: KeyObject): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, '', 'chat-gateway admin replies', 32));
}
