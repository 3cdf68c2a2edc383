import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to a service. A test can freeze or break its connections. */
export interface TcpProxy {
  readonly port: number;
  /** Stops all bytes in both directions, on old and new connections, without closing them. */
  freeze(): void;
  thaw(): void;
  /** Stops all bytes on the open connections for good. New connections work. */
  strand(): void;
  /** Breaks every connection. */
  cut(): void;
  /**
   * Once, on the first connection whose client sends matching bytes: the service receives them and answers, but the
   * proxy resets the connection instead of forwarding the answer. Resolves when that has happened.
   */
  loseAnswerTo(pattern: RegExp): Promise<void>;
  close(): Promise<void>;
}

interface Loss {
  readonly pattern: RegExp;
  happened(): void;
}

export async function tcpProxy(targetPort: number, port = 0): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const stranded = new Set<Socket>();
  let isFrozen = false;
  let losing: Loss | undefined;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    if (isFrozen) socket.pause();
    return socket.on('error', () => undefined).once('close', () => void sockets.delete(socket));
  };
  const pass = (from: Socket, to: Socket, onBytes: (bytes: Buffer) => boolean): void => {
    from.on('data', (bytes) => void (onBytes(bytes) && to.write(bytes)));
    from.once('close', () => to.destroy());
    if (isFrozen) from.pause();
  };
  const server = createServer((client) => {
    const service = keep(connect(targetPort, '127.0.0.1'));
    let sent = '';
    let lost: Loss | undefined;
    pass(keep(client), service, (bytes) => {
      sent = losing ? sent + bytes.toString('latin1') : '';
      if (!losing?.pattern.test(sent)) return true;
      lost = losing;
      losing = undefined;
      return true;
    });
    pass(service, client, () => {
      if (!lost) return true;
      client.resetAndDestroy();
      lost.happened();
      return false;
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) if (!stranded.has(socket)) socket.resume();
    },
    strand() {
      for (const socket of sockets) stranded.add(socket.pause());
    },
    cut: () => sockets.forEach((socket) => void socket.resetAndDestroy()),
    loseAnswerTo(pattern) {
      const { promise, resolve } = Promise.withResolvers<void>();
      losing = { pattern, happened: resolve };
      return promise;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
