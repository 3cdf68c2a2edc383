import type { Exchange } from '../http/exchange.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Components position themselves with style attributes; style elements and inline scripts stay forbidden.
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of all dashboard files: no content of other origins, and no framing. */
export function securityHeaders(exchange: Exchange): readonly string[] {
  return [...always, ...(exchange.isSecure ? ['strict-transport-security', 'max-age=31536000'] : [])];
}

const always = [
  'content-security-policy',
  policy,
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
  'permissions-policy',
  'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
];
