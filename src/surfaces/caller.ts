import type { KeyRing } from '../accounts/key-ring.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller } from '../core/caller.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';

/** Finds the key in the one header that a surface takes it in. */
export type KeyHeader = (exchange: Exchange, terms: { readonly takesAnyBearer: boolean }) => string | undefined;

/** The caller behind a request: whose key it is, on the site that the request's domain selects. */
export async function callerOf(
  exchange: Exchange,
  secretIn: KeyHeader,
  { keys, catalog }: { readonly keys: Pick<KeyRing, 'holder'>; readonly catalog: Catalog },
): Promise<Caller> {
  const site = catalog.siteFor(exchange.host) ?? '';
  const secret = secretIn(exchange, { takesAnyBearer: catalog.takesMessagesBearer(site) });
  const found = secret === undefined ? undefined : keys.holder(secret);
  const key = found instanceof Promise ? await found : found;
  if (!key) throw new GatewayError('invalid-api-key');
  return { key, site };
}

/** The key in `Authorization: Bearer <key>`, the only form the chat-completions surface takes. */
export const bearerSecret: KeyHeader = (exchange) => bearerToken(exchange.header('authorization'));

/**
 * The key in `x-api-key`, the form the messages surface takes. Client libraries of the format have come to send the key
 * they are given as a bearer token, and are taken as they are; so is everybody where the site says so.
 */
export const apiKeySecret: KeyHeader = (exchange, { takesAnyBearer }) => {
  const secret = exchange.header('x-api-key');
  if (secret !== undefined || !(takesAnyBearer || isLibrary(exchange))) return secret;
  return bearerToken(exchange.header('authorization'));
};

/** Libraries are known by the header they put on every request; an agent built upon one also asks without it. */
function isLibrary(exchange: Exchange): boolean {
  return (
    exchange.header('x-stainless-lang') !== undefined ||
    /^claude-(?:cli|code)\//i.test(exchange.header('user-agent') ?? '')
  );
}

/** What stands behind `Bearer`, if the header has that form. */
export function bearerToken(header: string | undefined): string | undefined {
  return header && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}
