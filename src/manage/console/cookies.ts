import type { Exchange } from '../../serving/http/exchange.ts';
import { isTrustworthy } from '../../serving/http/origin.ts';

/** The library's name of the session cookie. */
const sessionCookie = 'gateway-session';
/** A session ends 12 hours after the sign-in, even if it is in use. */
export const sessionMaxMs = 12 * 3_600_000;

/** Without a session cookie the library is not loaded and the store is not queried. */
export function mayHaveSession(exchange: Exchange): boolean {
  return exchange.header('cookie')?.includes(`${sessionCookie}=`) ?? false;
}

/** Our cookies under the library's names, without other cookies and without ours that have the wrong prefix. */
export function libraryCookies(exchange: Exchange): string {
  const prefix = prefixFor(exchange);
  const pairs = (exchange.header('cookie') ?? '').split(/;\s*/);
  const own = pairs.filter((pair) => pair.startsWith(`${prefix}${namePrefix}`));
  return own.map((pair) => pair.slice(prefix.length)).join('; ');
}

/**
 * The library's cookies as the browser gets them: bound to this host, `HttpOnly`, and `Secure` where TLS is possible.
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

export function cookieOf(exchange: Exchange, name: string): string | undefined {
  const start = `${prefixFor(exchange)}${name}=`;
  const pairs = (exchange.header('cookie') ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Sets such a cookie, with the attributes of the library's cookies. */
export function cookieHeaders(
  exchange: Exchange,
  { name, value, lifetimeSeconds }: { name: string; value: string; lifetimeSeconds: number },
): readonly string[] {
  const parts = [...attributesOf(exchange, `${name}=${value}`), `Max-Age=${lifetimeSeconds}`];
  return ['set-cookie', parts.join('; ')];
}

/** The names of all our cookies begin with it. */
const namePrefix = 'gateway';

function attributesOf(exchange: Exchange, pair: string): readonly string[] {
  const prefix = prefixFor(exchange);
  return [`${prefix}${pair}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', ...(prefix === '' ? [] : ['Secure'])];
}

function prefixFor(exchange: Exchange): string {
  return isTrustworthy(exchange) ? '__Host-' : '';
}
