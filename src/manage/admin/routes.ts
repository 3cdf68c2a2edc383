import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Route } from '../../serving/http/route.ts';
import { callerOf } from './api/authenticate.ts';
import { endpoints } from './endpoints.ts';
import { adminDocument } from './openapi.ts';
import type { AdminParts } from './parts.ts';
import { mayUse } from './api/caller.ts';
import { z } from 'zod';
import type { Exchange } from '../../serving/http/exchange.ts';
import { sendPieces } from '../../serving/surfaces/files/files.ts';
import { serverUrl } from '../../serving/surfaces/openapi/server-url.ts';
import { callEndpoint, requireAccess } from './api/call-endpoint.ts';
import type { Endpoint } from './api/endpoint.ts';
import { sentFrom } from './api/audit.ts';

/** The admin API, the account API and their OpenAPI document. Only the document needs no token. */
export function adminRoutes(parts: AdminParts): readonly Route[] {
  return [documentRoute(() => parts.current().version), ...endpoints.map((endpoint) => routeOf(endpoint, parts))];
}

/** Restricts a route of another module to operators. Any operator role may call it, by token or session. */
export function operatorsRoute(route: Route, parts: AdminParts): Route {
  const { method, path } = route;
  const access = 'read-only';
  return {
    method,
    path,
    handle: async (exchange, parameters) => {
      const { role } = await callerOf(exchange, parts, { method, access });
      if (!mayUse(role, access)) throw new GatewayError('forbidden');
      await route.handle(exchange, parameters);
    },
  };
}

/** Built once per version: anyone may request it, so it must be cheap. */
function documentRoute(version: () => string): Route {
  let cached = { version: '', text: '' };
  return {
    method: 'GET',
    path: '/admin/v1/openapi.json',
    handle: (exchange) => {
      if (cached.version !== version()) cached = { version: version(), text: JSON.stringify(adminDocument(version())) };
      exchange.send(200, 'application/json', cached.text);
    },
  };
}

/** The endpoint as a route: token or session (401), role (403), body and parameters (400), then the work. */
function routeOf(endpoint: Endpoint, parts: AdminParts): Route {
  const { method, path } = endpoint;
  return {
    method,
    path,
    handle: async (exchange, { id = '' }) => {
      const caller = await callerOf(exchange, parts, endpoint);
      requireAccess(endpoint, caller);
      const reply = await callEndpoint(endpoint, parts, {
        caller,
        path: exchange.path,
        id,
        query: exchange.query,
        body: endpoint.body && (await exchange.readJson()).value,
        address: { host: exchange.host, url: serverUrl(exchange) },
        client: sentFrom(exchange),
        idempotencyKey: exchange.header('idempotency-key'),
        condition: exchange.header('if-match'),
        signal: exchange.gone,
      });
      if (typeof reply === 'string') sendReply(exchange, reply, endpoint);
      else if (Buffer.isBuffer(reply)) sendFile(exchange, reply, endpoint);
      else if (endpoint.media) await sendPieces(exchange, `${endpoint.media.type}; charset=utf-8`, bytesOf(reply));
    },
  };
}

function sendReply(exchange: Exchange, reply: string, endpoint: Endpoint): void {
  const { media } = endpoint;
  const version = versionIn(reply, endpoint);
  if (media) sendFile(exchange, reply, endpoint);
  else exchange.send(200, 'application/json', reply, version === undefined ? [] : ['etag', `"${version}"`]);
}

function sendFile(exchange: Exchange, reply: string | Buffer, { media }: Endpoint): void {
  if (!media) return;
  const type = typeof reply === 'string' ? `${media.type}; charset=utf-8` : media.type;
  exchange.send(200, type, reply, ['content-disposition', `attachment; filename="${media.fileName}"`]);
}

function versionIn(reply: string, { reply: { schema } }: Endpoint): string | undefined {
  if (!(schema instanceof z.ZodObject) || !('version' in schema.shape)) return undefined;
  return (ownJson(reply) as { readonly version: string }).version;
}

async function* bytesOf(pieces: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}
