import type { Exchange } from '../../http/exchange.ts';

/** Shown when a request does not say in a believable way which address it used. */
const fallback = 'http://localhost:8080';

/** A name or an address and perhaps a port: nothing that a shell, a program or a page could take for more than that. */
const believable = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The address under which the reader reached the gateway, for examples that work when they are copied. */
export function serverUrl(exchange: Exchange): string {
  const host = exchange.header('host');
  if (host === undefined || !believable.test(host)) return fallback;
  const scheme = exchange.header('x-forwarded-proto')?.startsWith('https') ? 'https' : 'http';
  return `${scheme}://${host.toLowerCase()}`;
}
