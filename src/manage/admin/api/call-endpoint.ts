import { countChange } from '../../../money/accounts/change-quota.ts';
import { isWritten, requireClientKey, writeOnce } from '../../../money/accounts/write-once.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';
import { joined } from '../../../platform/store/joined.ts';
import { type AuditOccasion, recordChange } from './audit.ts';
import { type AdminCaller, mayUse } from './caller.ts';
import type { AdminWork, Endpoint, ResourceAddress, WriteOutcome } from './endpoint.ts';
import type { AdminParts } from '../parts.ts';
import { invalidField } from './sent-values.ts';
import { requireMatch, takeLock } from './versioned.ts';

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
  if (endpoint.method !== 'GET' && memberRole === 'viewer')
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
  return key !== undefined && isWritten(parts, { owner: holderOf(caller), key });
}

/** A user may act for several accounts. An `Idempotency-Key` of one is unknown in the others. */
function holderOf({ id, accountId, organisationId }: AdminCaller): string {
  return `${id} ${accountId ?? organisationId ?? ''}`;
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
      const holder = caller.accountId ?? caller.organisationId;
      if (holder !== undefined) await countChange(inside, holder);
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
    return writeOnce(inside, { owner: holderOf(caller), key: requireClientKey(key), request }, once);
  });
  // The operator's next request may already use the new model.
  if (isOfCatalog) await parts.refresh();
  return streamed ?? reply;
}
