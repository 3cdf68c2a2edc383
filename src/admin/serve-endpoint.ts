import { z } from 'zod';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { joined } from '../store/joined.ts';
import { serverUrl } from '../surfaces/openapi/server-url.ts';
import { recordChange } from './audit.ts';
import { callerOf } from './authenticate.ts';
import type { AdminCaller } from './caller.ts';
import type { Endpoint, WriteOutcome, AdminWork } from './endpoint.ts';
import type { AdminParts } from './parts.ts';
import { mayUse } from './roles.ts';
import { sendPieces } from './send-pieces.ts';
import { sentFrom } from './sent-from.ts';
import { invalidField } from './sent-values.ts';
import { requireMatch, takeLock } from './versioned.ts';
import { isUsed, writeOnce } from './write-once.ts';
import { broken, reason } from '../core/reasons/reason.ts';

/** The endpoint as a route: token or session (401), role (403), body and parameters (400), then the work. */
export function routeOf(endpoint: Endpoint, parts: AdminParts): Route {
  const { method, path } = endpoint;
  return {
    method,
    path,
    handle: async (exchange, { id = '' }) => {
      const caller = await callerOf(exchange, parts, endpoint);
      if (!mayUse(caller.role, endpoint.access)) throw new GatewayError('forbidden');
      if (endpoint.isWrite && caller.memberRole === 'viewer')
        throw new GatewayError('forbidden', { reason: reason('read_only_role') });
      const body = endpoint.body && (await exchange.readJson()).value;
      const address = { host: exchange.host, url: serverUrl(exchange) };
      const { first, work } = endpoint.prepare({ id, query: exchange.query, body, address });
      const request = JSON.stringify([method, exchange.path, body]);
      if (first && !(await isRepeated(exchange, parts, caller))) await first(parts, caller);
      if (endpoint.isWrite) {
        const reply = await runWrite({ endpoint, parts, caller, exchange, request, id }, work);
        return sendReply(exchange, reply, endpoint);
      }
      const { reply } = await work(parts, caller);
      if (endpoint.media && isStreamed(reply)) return sendPieces(exchange, reply, endpoint.media.type);
      sendReply(exchange, serialize(reply, endpoint), endpoint);
    },
  };
}

function sendReply(exchange: Exchange, reply: string, endpoint: Endpoint): void {
  const { media } = endpoint;
  const version = versionIn(reply, endpoint);
  if (!media) exchange.send(200, 'application/json', reply, version === undefined ? [] : ['etag', `"${version}"`]);
  else {
    const disposition = `attachment; filename="${media.fileName}"`;
    exchange.send(200, `${media.type}; charset=utf-8`, reply, ['content-disposition', disposition]);
  }
}

function serialize(reply: unknown, { media }: Endpoint): string {
  return media ? String(reply) : JSON.stringify(reply);
}

function isStreamed(reply: unknown): reply is AsyncIterable<string> {
  return typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply;
}

/** The version of the resource in a reply, if it has one. */
function versionIn(reply: string, { reply: { schema } }: Endpoint): string | undefined {
  if (!(schema instanceof z.ZodObject) || !('version' in schema.shape)) return undefined;
  return (JSON.parse(reply) as { readonly version: string }).version;
}

interface ServedWrite {
  readonly endpoint: Endpoint;
  readonly parts: AdminParts;
  readonly caller: AdminCaller;
  readonly exchange: Exchange;
  /** The path parameter. */
  readonly id: string;
  /** Method, path and body. An idempotency key is valid for this text only. */
  readonly request: string;
}

/** A retry gets the stored reply, even if the conditions of the write no longer hold. */
async function isRepeated(exchange: Exchange, parts: AdminParts, { id: tokenId }: AdminCaller): Promise<boolean> {
  const key = exchange.header('idempotency-key');
  return key !== undefined && isUsed(parts, { tokenId, key });
}

/** Throttles possible guesses outside any transaction, so that a waiting attempt does not block other writes. */
async function runWrite(change: ServedWrite, work: AdminWork<WriteOutcome>): Promise<string> {
  const { endpoint, parts, caller, exchange } = change;
  if (!endpoint.isGuess) return write(change, work);
  const attempt = { name: `${endpoint.operationId} ${caller.accountId ?? caller.id}`, address: exchange.address };
  const answer = await parts.attempt({ ...attempt, signal: exchange.gone }, () =>
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
  { endpoint, parts, caller, exchange, request, id }: ServedWrite,
  work: AdminWork<WriteOutcome>,
): Promise<string> {
  const key = endpoint.isDisclosure ? undefined : exchange.header('idempotency-key');
  const condition = exchange.header('if-match');
  const { versioned } = endpoint;
  if (condition !== undefined && !versioned)
    throw invalidField('If-Match', broken('version_not_supported'), 'Leave it out here.');
  let isOfCatalog = false;
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
      const by = { at, actor, role, account, action: endpoint.operationId, ...sentFrom(exchange) };
      if (change) await recordChange(inside.store, change, by);
      isOfCatalog = change !== undefined && catalogKinds.has(change.kind);
      return JSON.stringify(reply);
    };
    return key === undefined ? once() : writeOnce(inside, { tokenId: caller.id, key, request }, once);
  });
  // The operator's next request may already use the new model.
  if (isOfCatalog) await parts.refresh();
  return reply;
}
