import type { Exchange } from '../../http/exchange.ts';

/** Used if the `Host` header is missing or invalid. */
const fallback = 'http://localhost:8080';

/** A host name or address with an optional port, without characters that are special in a shell, a program or HTML. */
const believable = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The address under which the reader reached the gateway, so that copied examples work. */
export function serverUrl(exchange: Exchange): string {
  const host = exchange.header('host');
  if (host === undefined || !believable.test(host)) return fallback;
  const scheme = exchange.header('x-forwarded-proto')?.startsWith('https') ? 'https' : 'http';
  return `${scheme}://${host.toLowerCase()}`;
}
