import { GatewayError } from '../../core/gateway-error.ts';
import { broken, reason } from '../../core/reasons/reason.ts';
import { joined } from '../../store/joined.ts';
import { type AuditOccasion, recordChange } from '../audit/audit.ts';
import { type AdminCaller, mayUse } from './caller.ts';
import type { AdminWork, Endpoint, ResourceAddress, WriteOutcome } from './endpoint.ts';
import type { AdminParts } from '../parts.ts';
import { invalidField, refused } from './sent-values.ts';
import { requireMatch, takeLock } from './versioned.ts';
import type { Selectable } from 'kysely';
import { isOneOf, keyDigest, keyDigests, type Pepper } from '../../accounts/key-digest.ts';
import type { Database } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

export interface EndpointCall {
  readonly caller: AdminCaller;
  /** The path with its parameter. An idempotency key is valid for one path only. */
  readonly path: string;
  /** The path parameter. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly address: ResourceAddress;
  /** The facts about the client that the audit log keeps. A command also replaces the role. */
  readonly client: Pick<AuditOccasion, 'requestId' | 'address' | 'device'> & Partial<Pick<AuditOccasion, 'role'>>;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey?: string | undefined;
  /** The `If-Match` header. */
  readonly condition?: string | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export function requireAccess(endpoint: Endpoint, { role, memberRole }: AdminCaller): void {
  if (!mayUse(role, endpoint.access)) throw new GatewayError('forbidden');
  if (endpoint.isWrite && memberRole === 'viewer')
    throw new GatewayError('forbidden', { reason: reason('read_only_role') });
}

/** Checks body and parameters (400), then does the work. Returns the reply: its text or bytes, or the pieces of a stream. */
export async function callEndpoint(
  endpoint: Endpoint,
  parts: AdminParts,
  call: EndpointCall,
): Promise<string | Buffer | AsyncIterable<string | Buffer>> {
  const { first, work } = endpoint.prepare(call);
  if (first && !(await isRepeated(parts, call))) await first(parts, call.caller);
  if (endpoint.isWrite) return runWrite({ endpoint, parts, call }, work);
  const { reply } = await work(parts, call.caller);
  if (!endpoint.media) return JSON.stringify(reply);
  return Buffer.isBuffer(reply) || isStreamed(reply) ? reply : String(reply);
}

function isStreamed(reply: unknown): reply is AsyncIterable<string | Buffer> {
  return typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply;
}

interface EndpointWrite {
  readonly endpoint: Endpoint;
  readonly parts: AdminParts;
  readonly call: EndpointCall;
}

/** A retry gets the stored reply, even if the conditions of the write no longer hold. */
async function isRepeated(parts: AdminParts, { idempotencyKey: key, caller }: EndpointCall): Promise<boolean> {
  return key !== undefined && isUsed(parts, { tokenId: caller.id, key });
}

/** Throttles possible guesses outside any transaction, so that a waiting attempt does not block other writes. */
async function runWrite(change: EndpointWrite, work: AdminWork<WriteOutcome>): ReturnType<typeof write> {
  const { endpoint, parts, call } = change;
  const { caller, client, signal } = call;
  if (!endpoint.isGuess) return write(change, work);
  const name = `${endpoint.operationId} ${caller.accountId ?? caller.id}`;
  const answer = await parts.attempt({ name, address: client.address ?? '', signal }, () =>
    write(change, work).then(
      (reply) => ({ status: 200, reply }),
      (error: unknown) => ({ status: 400, error }),
    ),
  );
  if ('error' in answer) throw answer.error;
  return answer.reply;
}

/** Changes to these kinds reach requests through the catalog. */
const catalogKinds: ReadonlySet<string> = new Set(['upstream', 'model', 'package', 'site']);

/** The change, its audit log entry and its stored reply are committed together or not at all. */
async function write(
  { endpoint, parts, call }: EndpointWrite,
  work: AdminWork<WriteOutcome>,
): Promise<string | AsyncIterable<string | Buffer>> {
  const { caller, id, condition } = call;
  const key = endpoint.isDisclosure ? undefined : call.idempotencyKey;
  const { versioned } = endpoint;
  if (condition !== undefined && !versioned)
    throw invalidField('If-Match', broken('version_not_supported'), 'Leave it out here.');
  let isOfCatalog = false;
  let streamed: AsyncIterable<string | Buffer> | undefined;
  const reply = await parts.store.transaction(async (tx) => {
    const inside = { ...parts, store: joined(parts.store, tx) };
    const once = async (): Promise<string> => {
      if (condition !== undefined && versioned) {
        await takeLock(inside.store, versioned.lock);
        await requireMatch(inside, versioned, { id, caller, condition });
      }
      const { reply, change } = await work(inside, caller);
      const at = parts.clock.now();
      const { actor, role, accountId: account } = caller;
      const by = { at, actor, role, account, action: endpoint.operationId, ...call.client };
      if (change) await recordChange(inside.store, change, by);
      isOfCatalog = change !== undefined && catalogKinds.has(change.kind);
      if (isStreamed(reply)) streamed = reply;
      return streamed ? '' : JSON.stringify(reply);
    };
    if (key === undefined) return once();
    const request = JSON.stringify([endpoint.method, call.path, call.body]);
    return writeOnce(inside, { tokenId: caller.id, key, request }, once);
  });
  // The operator's next request may already use the new model.
  if (isOfCatalog) await parts.refresh();
  return streamed ?? reply;
}

/** A write that its client may retry because it did not receive the reply. */
interface WriteClaim {
  readonly tokenId: string;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** Method, path and body. The key is valid for this text only. */
  readonly request: string;
}

const retentionMs = 86_400_000;

/** Whether the key was used in the last 24 hours. Then the write does not run again, and needs no checks before. */
async function isUsed(
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
async function writeOnce(
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
