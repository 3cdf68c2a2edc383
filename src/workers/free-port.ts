import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** The first of some ports that this machine has free; the first of all where it has none of them. */
export async function firstFreePort(host: string, ports: readonly [number, ...number[]]): Promise<number> {
  for (const port of ports) if (await isFree(host, port)) return port;
  return ports[0];
}

/** What else is wrong with an address the start finds out, and says. */
async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE');
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** A port that nobody listens on: all workers must be told the same one, also those that come later. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
