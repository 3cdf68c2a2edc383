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

/** The key in `x-api-key`, the only form the messages surface takes. */
export function apiKeySecret(exchange: Exchange): string | undefined {
  return exchange.header('x-api-key');
}

/** What stands behind `Bearer`, if the header has that form. */
export function bearerToken(header: string | undefined): string | undefined {
  return header && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}
