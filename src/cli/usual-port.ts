import type { Config } from '../config/config.ts';
import { firstFreePort } from '../workers/free-port.ts';

/** Ports that are tried where none is said: the usual one belongs to other programs too, such as llama.cpp. */
const triedMax = 10;
const timeoutMs = 1000;

/**
 * The port of a gateway that was given none: the usual one, or the next that is free. A gateway that is there already
 * keeps another from starting: a second one on the same data would take more of each provider than is allowed.
 */
export async function usualPort({ host, port, healthPort }: Config['listen']): Promise<number> {
  const others = Array.from({ length: triedMax - 1 }, (_, index) => port + 1 + index);
  const chosen = await firstFreePort(host, [port, ...others.filter((other) => other !== healthPort)]);
  if (chosen === port || (await isGateway(host, port))) return port;
  console.log(`Port ${port} on ${host} is taken by another program: this gateway uses ${chosen}.`);
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
