/** A proxy on the way to an origin. */
export interface Proxy {
  readonly url: URL;
  /** How it is called in messages: without its password. */
  readonly name: string;
  /** The value of `Proxy-Authorization`, if it wants one. */
  readonly authorization: string | undefined;
}

/** A way through a proxy that did not come about. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/** The proxy at an address; throws for one that speaks something else than HTTP. */
export function proxyAt(address: string): Proxy {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) {
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1] ?? 'something';
    throw new ProxyError(
      `only HTTP proxies can be used, and one of ${scheme} is named. Set HTTPS_PROXY and HTTP_PROXY to one that begins with http://, or write \`proxy: none\` at the upstream`,
    );
  }
  const { username, password } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = username === '' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { url, name: url.host, authorization };
}

/** A request as a proxy wants it that passes on plain HTTP: with the whole address, and who we are to it. */
export function forwarded(request: string | Buffer, origin: URL, { authorization }: Proxy): string | Buffer {
  const text = typeof request === 'string' ? request : request.toString('latin1', 0, headBytesMax);
  const target = text.indexOf(' ') + 1;
  const firstLineEnd = text.indexOf('\r\n') + 2;
  const login = authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`;
  const head = `${text.slice(0, target)}${origin.origin}${text.slice(target, firstLineEnd)}${login}`;
  if (typeof request === 'string') return head + request.slice(firstLineEnd);
  return Buffer.concat([Buffer.from(head, 'latin1'), request.subarray(firstLineEnd)]);
}

/** The first line of a request is far shorter. */
const headBytesMax = 65_536;
