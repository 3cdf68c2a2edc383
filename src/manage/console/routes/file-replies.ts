import type { Exchange } from '../../../serving/http/exchange.ts';
import type { Route } from '../../../serving/http/route.ts';
import type { BuiltFile } from '../files.ts';

export interface FileTerms {
  /** Without it, 200. */
  readonly status?: number;
  /** The value of `cache-control`. */
  readonly caching: string;
  /** The content security policy. */
  readonly policy: string;
}

export function getRoute(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, handle };
}

/** Sends a built file, compressed if the client accepts it. */
export function sendFile(exchange: Exchange, file: BuiltFile, terms: FileTerms): void {
  const { encoding, content } = encodedFor(exchange.header('accept-encoding') ?? '', file);
  const headers = ['vary', 'accept-encoding', ...(encoding === undefined ? [] : ['content-encoding', encoding])];
  exchange.send(terms.status ?? 200, file.contentType, content, [...headers, ...fileHeaders(exchange, terms)]);
}

/** Headers of every page and built file: no content of other origins, and no framing. */
export function fileHeaders(exchange: Exchange, { caching, policy }: FileTerms): readonly string[] {
  const transport = exchange.isSecure ? ['strict-transport-security', 'max-age=31536000'] : [];
  return ['cache-control', caching, 'content-security-policy', policy, ...always, ...transport];
}

function encodedFor(accepted: string, { br, gzip, identity }: BuiltFile) {
  const accepts = (name: string) => new RegExp(`(?:^|[,\\s])${name}(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted);
  if (br && accepts('br')) return { encoding: 'br', content: br };
  if (gzip && accepts('gzip')) return { encoding: 'gzip', content: gzip };
  return { encoding: undefined, content: identity };
}

const always = [
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
  'permissions-policy',
  'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
];
