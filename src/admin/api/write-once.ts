import type { Selectable } from 'kysely';
import { isOneOf, keyDigest, keyDigests, type Pepper } from '../../accounts/key-digest.ts';
import type { Database } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import type { AdminParts } from '../parts.ts';
import { refused } from './sent-values.ts';
import { reason } from '../../core/reasons/reason.ts';
import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/** A write that its client may retry because it did not receive the reply. */
export interface WriteClaim {
  readonly tokenId: string;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** Method, path and body. The key is valid for this text only. */
  readonly request: string;
}

const retentionMs = 86_400_000;

/** Whether the key was used in the last 24 hours. Then the write does not run again, and needs no checks before. */
export async function isUsed(
  { store, clock, pepper }: Pick<AdminParts, 'store' | 'clock' | 'pepper'>,
  { tokenId, key }: Pick<WriteClaim, 'tokenId' | 'key'>,
): Promise<boolean> {
  const known = await store.db
    .selectFrom('admin_writes')
    .select('at')
    .where('token_id', '=', tokenId)
    .where('key_digest', 'in', keyDigests(pepper, key))
    .where('at', '>=', clock.now() - retentionMs)
    .executeTakeFirst();
  return known !== undefined;
}

/**
 * Runs the write and stores its reply, or returns the stored reply. Must run in the transaction of the write: a second
 * request with the same key waits for the first, and a failed write can be retried.
 */
export async function writeOnce(
  { store, clock, pepper }: Pick<AdminParts, 'store' | 'clock' | 'pepper'>,
  { tokenId, key, request }: WriteClaim,
  write: () => Promise<string>,
): Promise<string> {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw refused(reason('idempotency_key_invalid'));
  }
  const storedReply = (known: StoredWrite | undefined): string => {
    if (!known || known.reply === null || !isOneOf(keyDigests(pepper, request), known.request_digest)) {
      throw refused(reason('idempotency_key_reused'));
    }
    return openReply(pepper, ownerOf(tokenId, known.key_digest), known.reply);
  };
  const claim = { token_id: tokenId, key_digest: keyDigest(pepper, key) };
  await store.db
    .deleteFrom('admin_writes')
    .where('at', '<', clock.now() - retentionMs)
    .execute();
  const [, ...otherDigests] = keyDigests(pepper, key);
  // Stored while the gateway had another secret.
  const earlier = otherDigests.length > 0 ? await findWrite(store, tokenId, otherDigests) : undefined;
  if (earlier) return storedReply(earlier);
  const claimed = await store.db
    .insertInto('admin_writes')
    .values({ ...claim, request_digest: keyDigest(pepper, request), reply: null, at: clock.now() })
    .onConflict((conflict) => conflict.columns(['token_id', 'key_digest']).doNothing())
    .executeTakeFirst();
  if (claimed.numInsertedOrUpdatedRows === 0n) {
    return storedReply(await findWrite(store, tokenId, [claim.key_digest]));
  }
  const reply = await write();
  await store.db
    .updateTable('admin_writes')
    .set({ reply: sealReply(pepper, ownerOf(tokenId, claim.key_digest), reply) })
    .where('token_id', '=', claim.token_id)
    .where('key_digest', '=', claim.key_digest)
    .execute();
  return reply;
}

type StoredWrite = Pick<Selectable<Database['admin_writes']>, 'key_digest' | 'request_digest' | 'reply'>;

function findWrite(store: Store, tokenId: string, digests: readonly string[]): Promise<StoredWrite | undefined> {
  return store.db
    .selectFrom('admin_writes')
    .select(['key_digest', 'request_digest', 'reply'])
    .where('token_id', '=', tokenId)
    .where('key_digest', 'in', digests)
    .executeTakeFirst();
}

function ownerOf(tokenId: string, keyDigestText: string): string {
  return `${tokenId} ${keyDigestText}`;
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
