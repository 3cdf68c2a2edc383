import type { Socket } from 'node:net';
import { type Proxy, ProxyError } from './proxy.ts';

/** Not imported: that reads every name of the module, one of which loads all of Node's `fetch`. */
const { request: requestPlain } = process.getBuiltinModule('node:http');
const { request: requestTls } = process.getBuiltinModule('node:https');

/** Hears of a tunnel once: the socket through it, or why there is none. */
export type TunnelDone = (error: Error | undefined, socket?: Socket) => void;

/** Has a proxy connect to an origin. Nothing is heard after `destroy`. */
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

/** What a proxy means by its status. Its own words are not repeated. */
export function refusalWords({ name }: Proxy, status: number): string {
  if (status === 407) return `the proxy ${name} asks for other credentials (407)`;
  return `the proxy ${name} does not connect to there (it answered ${status})`;
}
