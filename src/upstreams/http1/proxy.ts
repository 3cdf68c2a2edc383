/** A proxy between the gateway and an origin. */
export interface Proxy {
  readonly url: URL;
  /** Its name in messages: without its password. */
  readonly name: string;
  /** The value of `Proxy-Authorization`, if it needs one. */
  readonly authorization: string | undefined;
}

/** A failed connection through a proxy. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/** Parses the address of a proxy. Throws unless it is an HTTP proxy. */
export function proxyAt(address: string): Proxy {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) {
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1] ?? 'something';
    throw new ProxyError(
      `only HTTP proxies are supported, and this one uses ${scheme}. Set HTTPS_PROXY and HTTP_PROXY to an address that begins with http://, or write \`proxy: none\` at the upstream`,
    );
  }
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = username === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url, name: url.host, authorization };
}

/** Rewrites a request for a proxy that forwards plain HTTP: with the full address and the proxy credentials. */
export function forwarded(request: string | Buffer, origin: URL, { authorization }: Proxy): string | Buffer {
  const text = typeof request === 'string' ? request : request.toString('latin1', 0, headBytesMax);
  const target = text.indexOf(' ') + 1;
  const firstLineEnd = text.indexOf('\r\n') + 2;
  const login = authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`;
  const head = `${text.slice(0, target)}${origin.origin}${text.slice(target, firstLineEnd)}${login}`;
  if (typeof request === 'string') return head + request.slice(firstLineEnd);
  return Buffer.concat([Buffer.from(head, 'latin1'), request.subarray(firstLineEnd)]);
}

/** The first line of a request is always shorter. */
const headBytesMax = 65_536;
