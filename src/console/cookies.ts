import type { Exchange } from '../http/exchange.ts';
import { isTrustworthy } from '../http/origin.ts';

/** The cookie that carries a session, as the library knows it. */
const sessionCookie = 'gateway-session';
/** However busy, a session ends half a day after signing in. */
export const sessionMaxMs = 12 * 3_600_000;

/** Whether the request could have a session at all. Without a cookie nothing needs to be loaded or asked. */
export function mayHaveSession(exchange: Exchange): boolean {
  return exchange.header('cookie')?.includes(`${sessionCookie}=`) ?? false;
}

/** Our cookies under the names the library knows; those of others, and those with the wrong prefix, are left out. */
export function libraryCookies(exchange: Exchange): string {
  const prefix = prefixFor(exchange);
  const pairs = (exchange.header('cookie') ?? '').split(/;\s*/);
  const own = pairs.filter((pair) => pair.startsWith(`${prefix}${namePrefix}`));
  return own.map((pair) => pair.slice(prefix.length)).join('; ');
}

/**
 * What the library sets, as a browser gets it: bound to this host, out of reach of scripts, and over TLS only where that
 * is possible at all.
 */
export function setCookieHeaders(exchange: Exchange, headers: Headers): readonly string[] {
  return headers.getSetCookie().flatMap((cookie) => {
    const [pair = '', ...attributes] = cookie.split(/;\s*/);
    if (!pair.startsWith(namePrefix)) return [];
    const maxAge = attributes.find((attribute) => /^max-age=/i.test(attribute));
    const isLasting = pair.startsWith(`${sessionCookie}=`) && maxAge !== undefined && !maxAge.endsWith('=0');
    const maxAgeAttribute = isLasting ? `Max-Age=${sessionMaxMs / 1000}` : maxAge;
    const parts = [...attributesOf(exchange, pair), ...(maxAgeAttribute === undefined ? [] : [maxAgeAttribute])];
    return ['set-cookie', parts.join('; ')];
  });
}

/** A cookie of ours that the library knows nothing of. */
export function cookieOf(exchange: Exchange, name: string): string | undefined {
  const start = `${prefixFor(exchange)}${name}=`;
  const pairs = (exchange.header('cookie') ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Sets such a cookie, with the same care as those of the library. */
export function cookieHeaders(
  exchange: Exchange,
  { name, value, lifetimeSeconds }: { name: string; value: string; lifetimeSeconds: number },
): readonly string[] {
  const parts = [...attributesOf(exchange, `${name}=${value}`), `Max-Age=${lifetimeSeconds}`];
  return ['set-cookie', parts.join('; ')];
}

/** Every cookie of ours begins with it. */
const namePrefix = 'gateway';

function attributesOf(exchange: Exchange, pair: string): readonly string[] {
  const prefix = prefixFor(exchange);
  return [`${prefix}${pair}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', ...(prefix === '' ? [] : ['Secure'])];
}

function prefixFor(exchange: Exchange): string {
  return isTrustworthy(exchange) ? '__Host-' : '';
}
