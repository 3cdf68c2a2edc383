import type { Caller, KeyHolder } from '../core/caller.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';

/** Who may be asked whether a secret is a valid key. A warm key is answered at once, without a promise. */
export interface KeyRing {
  holder(secret: string): KeyHolder | undefined | Promise<KeyHolder | undefined>;
}

/** The caller behind `Authorization: Bearer <key>`, the only form the chat-completions surface takes. */
export async function bearerCaller(exchange: Exchange, keys: KeyRing, site: string | undefined): Promise<Caller> {
  const secret = bearerToken(exchange.header('authorization'));
  const found = secret === undefined ? undefined : keys.holder(secret);
  const key = found instanceof Promise ? await found : found;
  if (!key) throw new GatewayError('invalid-api-key');
  return { key, site: site ?? '' };
}

/** What stands behind `Bearer`, if the header has that form. */
export function bearerToken(header: string | undefined): string | undefined {
  return header && /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : undefined;
}
