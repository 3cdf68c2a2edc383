import type { Exchange } from './exchange.ts';

/** Browsers treat their own machine as secure, and take `Secure` cookies from it over plain HTTP. */
export function isTrustworthy(exchange: Exchange): boolean {
  const { host, isSecure } = exchange;
  return isSecure || host === 'localhost' || host.endsWith('.localhost') || loopback.test(host);
}

const loopback = /^(?:127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Whether a page of ours sent the request. Browsers put `Origin` on every request that writes, and no page can forge it;
 * whoever is not a browser has no cookie that someone else could ride on, but has to say `Origin` all the same. A proxy
 * may keep it to itself that it speaks TLS, so only the host counts.
 */
export function isSameOrigin(exchange: Exchange): boolean {
  const origin = exchange.header('origin');
  const host = exchange.header('host')?.toLowerCase();
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  const { protocol } = new URL(origin);
  return (protocol === 'http:' || protocol === 'https:') && origin.toLowerCase() === `${protocol}//${host}`;
}
