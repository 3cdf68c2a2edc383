import type { Exchange } from './exchange.ts';

/** Browsers treat localhost as secure and accept `Secure` cookies from it over plain HTTP. */
export function isTrustworthy(exchange: Exchange): boolean {
  const { host, isSecure } = exchange;
  return isSecure || host === 'localhost' || host.endsWith('.localhost') || loopback.test(host);
}

const loopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Whether a page of this gateway sent the request. Browsers set `Origin` on every request that writes, and no page can
 * forge it. Other clients have no cookie that a foreign page could use, but must send `Origin` too. A proxy may not
 * forward that it uses TLS, so only the host counts.
 */
export function isSameOrigin(exchange: Exchange): boolean {
  const origin = exchange.header('origin');
  const host = exchange.header('host')?.toLowerCase();
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  const { protocol } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && origin.toLowerCase() === `${protocol}//${host}`;
}
