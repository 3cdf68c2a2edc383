import { keyDigest, sameDigest } from '../accounts/key-digest.ts';
import type { AdminParts } from './parts.ts';
import { openReply, sealReply } from './sealed-reply.ts';
import { refused } from './sent-values.ts';

/** A write that its client may send again because it did not hear the answer. */
export interface Claim {
  readonly tokenId: string;
  /** As the `Idempotency-Key` header has it. */
  readonly key: string;
  /** Method, path and body: what the key stands for. */
  readonly request: string;
}

const keptMs = 86_400_000;

/** Whether the key was used: then nothing is done for whoever sends it now, and nothing has to be looked at before. */
export async function isUsed(
  { store, clock, pepper }: Pick<AdminParts, 'store' | 'clock' | 'pepper'>,
  { tokenId, key }: Pick<Claim, 'tokenId' | 'key'>,
): Promise<boolean> {
  const known = await store.db
    .selectFrom('admin_writes')
    .select('at')
    .where('token_id', '=', tokenId)
    .where('key_digest', '=', keyDigest(pepper, key))
    .where('at', '>=', clock.now() - keptMs)
    .executeTakeFirst();
  return known !== undefined;
}

/**
 * Does the write and remembers its reply, or returns the reply that is remembered. Runs in the transaction of the write:
 * whoever comes second with the same key waits for the first, and a write that failed may be tried again.
 */
export async function writeOnce(
  { store, clock, pepper }: Pick<AdminParts, 'store' | 'clock' | 'pepper'>,
  { tokenId, key, request }: Claim,
  write: () => Promise<string>,
): Promise<string> {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw refused('The Idempotency-Key must have 1 to 255 printable ASCII characters and no spaces.');
  }
  const claim = { token_id: tokenId, key_digest: keyDigest(pepper, key) };
  const owner = `${claim.token_id} ${claim.key_digest}`;
  const requestDigest = keyDigest(pepper, request);
  await store.db
    .deleteFrom('admin_writes')
    .where('at', '<', clock.now() - keptMs)
    .execute();
  const claimed = await store.db
    .insertInto('admin_writes')
    .values({ ...claim, request_digest: requestDigest, reply: null, at: clock.now() })
    .onConflict((conflict) => conflict.columns(['token_id', 'key_digest']).doNothing())
    .executeTakeFirst();
  const own = store.db.selectFrom('admin_writes').select(['request_digest', 'reply']);
  const known = await own
    .where('token_id', '=', claim.token_id)
    .where('key_digest', '=', claim.key_digest)
    .executeTakeFirstOrThrow();
  if (claimed.numInsertedOrUpdatedRows === 0n) {
    if (!sameDigest(known.request_digest, requestDigest) || known.reply === null) {
      throw refused('This Idempotency-Key was used for another request. Take a new one for a new request.');
    }
    return openReply(pepper, owner, known.reply);
  }
  const reply = await write();
  await store.db
    .updateTable('admin_writes')
    .set({ reply: sealReply(pepper, owner, reply) })
    .where('token_id', '=', claim.token_id)
    .where('key_digest', '=', claim.key_digest)
    .execute();
  return reply;
}
