import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for several gateways, as a TCP balancer is: connections go around, and none to a gateway that was taken out. */
export interface Balancer {
  readonly name: string;
  readonly port: number;
  add(gateway: { readonly port: number }): void;
  /** No new connection goes there; those there are go on. */
  remove(gateway: { readonly port: number }): void;
  close(): void;
}

export async function balancer(): Promise<Balancer> {
  const backends: number[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => void sockets.delete(socket));
  };
  const server = createServer((client) => {
    const next = backends.shift();
    if (next === undefined) throw new Error('there is no gateway behind the balancer');
    backends.push(next);
    const gateway = keep(connect(next, '127.0.0.1'));
    keep(client);
    client.pipe(gateway).pipe(client);
    client.once('close', () => gateway.destroy());
    gateway.once('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    name: 'the balancer',
    port: (server.address() as AddressInfo).port,
    add: ({ port }) => void backends.push(port),
    remove: ({ port }) => void backends.splice(backends.indexOf(port), 1),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
