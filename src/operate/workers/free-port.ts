import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns the first of these ports that is free on this machine, or the first of all if none is. */
export async function firstFreePort(host: string, ports: readonly [number, ...number[]]): Promise<number> {
  for (const port of ports) if (await isFree(host, port)) return port;
  return ports[0];
}

/** Only `EADDRINUSE` counts as not free. Any other problem with the address is reported when the gateway starts. */
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

/** A free port. The parent chooses it, because all workers must use the same one, also those that start later. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
