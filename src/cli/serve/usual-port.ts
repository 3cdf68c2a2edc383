import type { Config } from '../../config/config.ts';
import { firstFreePort } from '../../workers/free-port.ts';

/** Number of ports to try if none is configured. Other programs, such as llama.cpp, use the default port too. */
const triedMax = 10;
const timeoutMs = 1000;

/**
 * Chooses a port if none is configured: the default one, or the next free one. If another gateway uses the default
 * port, returns that port, so that the start fails: two gateways on the same data would exceed the provider limits.
 */
export async function choosePort({ host, port, healthPort }: Config['listen']): Promise<number> {
  const others = Array.from({ length: triedMax - 1 }, (_, index) => port + 1 + index);
  const chosen = await firstFreePort(host, [port, ...others.filter((other) => other !== healthPort)]);
  if (chosen === port || (await isGateway(host, port))) return port;
  console.log(`Port ${port} on ${host} is used by another program. This gateway uses port ${chosen}.`);
  return chosen;
}

async function isGateway(host: string, port: number): Promise<boolean> {
  const name = host.includes(':') ? `[${host}]` : host;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { headers } = await fetch(`http://${name}:${port}/healthz`, { signal, redirect: 'manual' });
    return headers.has('x-gateway-version');
  } catch {
    return false;
  }
}
