import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP load balancer: connections go to the gateways in rotation, and none to a removed gateway. */
export interface Balancer {
  readonly name: string;
  readonly port: number;
  add(gateway: { readonly port: number }): void;
  /** Sends no new connections there. Resolves when each open one has received its first byte, or is closed. */
  remove(gateway: { readonly port: number }): Promise<void>;
  close(): void;
}

export async function balancer(): Promise<Balancer> {
  const backends: number[] = [];
  const sockets = new Set<Socket>();
  /** Connections that wait for the first byte of an answer, by the port of their gateway. */
  const unanswered = new Map<number, Set<Promise<void>>>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => void sockets.delete(socket));
  };
  function awaitAnswer(port: number, gateway: Socket): void {
    const waits = unanswered.get(port) ?? new Set();
    unanswered.set(port, waits);
    const answered = Promise.withResolvers<void>();
    waits.add(answered.promise);
    for (const event of ['data', 'close'] as const) gateway.once(event, () => answered.resolve());
    void answered.promise.then(() => waits.delete(answered.promise));
  }

  const server = createServer((client) => {
    const next = backends.shift();
    if (next === undefined) throw new Error('the balancer has no gateway');
    backends.push(next);
    const gateway = keep(connect(next, '127.0.0.1'));
    keep(client);
    awaitAnswer(next, gateway);
    client.pipe(gateway).pipe(client);
    client.once('close', () => gateway.destroy());
    gateway.once('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    name: 'the balancer',
    port: (server.address() as AddressInfo).port,
    add: ({ port }) => void backends.push(port),
    async remove({ port }) {
      backends.splice(backends.indexOf(port), 1);
      const waits = unanswered.get(port);
      if (waits) await Promise.all(waits);
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
