import type { Caller, KeyHolder } from '../core/caller.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';

/** Who may be asked whether a secret is a valid key. A warm key is answered at once, without a promise. */
export interface KeyRing {
  holder(secret: string): KeyHolder | undefined | Promise<KeyHolder | undefined>;
}

/** The caller whose key this is. */
export async function callerWith(secret: string | undefined, keys: KeyRing, site: string | undefined): Promise<Caller> {
  const found = secret === undefined ? undefined : keys.holder(secret);
  const key = found instanceof Promise ? await found : found;
  if (!key) throw new GatewayError('invalid-api-key');
  return { key, site: site ?? '' };
}

/** The key in `Authorization: Bearer <key>`, the only form the chat-completions surface takes. */
export function bearerSecret(exchange: Exchange): string | undefined {
  return bearerToken(exchange.header('authorization'));
}

/**
 * The key in `x-api-key`, the form the messages surface takes. Client libraries of the format have come to send the key
 * they are given as a bearer token; they are known by the header they put on every request, and taken as they are.
 */
export function apiKeySecret(exchange: Exchange): string | undefined {
  const secret = exchange.header('x-api-key');
  if (secret !== undefined || exchange.header('x-stainless-lang') === undefined) return secret;
  return bearerSecret(exchange);
}

/** What stands behind `Bearer`, if the header has that form. */
export function bearerToken(header: string | undefined): string | undefined {
  return header && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}
