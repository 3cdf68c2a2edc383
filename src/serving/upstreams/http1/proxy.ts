import type { Socket } from 'node:net';

export interface Proxy {
  readonly url: URL;
  /** Its name in messages: without its password. */
  readonly name: string;
  readonly authorization: string | undefined;
}

class ProxyError extends Error {
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

/** Not imported, because an import reads every export of the module, and one of them loads all of Node's `fetch`. */
const { request: requestPlain } = process.getBuiltinModule('node:http');
const { request: requestTls } = process.getBuiltinModule('node:https');

/** Called once: with the socket through the tunnel, or with the error. */
export type TunnelDone = (error: Error | undefined, socket?: Socket) => void;

/** Opens a tunnel to an origin through a proxy. `done` is not called after `destroy`. */
export function openTunnel(origin: URL, proxy: Proxy, done: TunnelDone): { destroy(): void } {
  const target = `${origin.hostname}:${origin.port || '443'}`;
  const { protocol, hostname, port } = proxy.url;
  const isTls = protocol === 'https:';
  const request = (isTls ? requestTls : requestPlain)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isTls ? 443 : 80)),
    method: 'CONNECT',
    path: target,
    agent: false,
    headers: {
      host: target,
      'proxy-connection': 'keep-alive',
      ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
    },
  });
  let isOver = false;
  const finish: TunnelDone = (error, socket) => {
    if (isOver) socket?.destroy();
    else done(error, socket);
    isOver = true;
  };
  request.once('connect', ({ statusCode = 0 }, socket: Socket, ahead: Buffer) => {
    if (statusCode >= 200 && statusCode < 300 && ahead.length === 0) return finish(undefined, socket);
    socket.destroy();
    finish(new ProxyError(refusalWords(proxy, statusCode)));
  });
  request.on('error', (cause) => {
    finish(new ProxyError(`the proxy ${proxy.name} cannot be used: ${cause.message}`, { cause }));
  });
  request.end();
  return {
    destroy() {
      isOver = true;
      request.destroy();
    },
  };
}

/** Describes the status of a proxy. The text of the proxy is not repeated. */
export function refusalWords({ name }: Proxy, status: number): string {
  if (status === 407) return `the proxy ${name} requires other credentials (407)`;
  return `the proxy ${name} refuses the connection (it answered ${status})`;
}
