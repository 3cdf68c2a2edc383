import type { Socket } from 'node:net';
import { type Proxy, ProxyError } from './proxy.ts';

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
