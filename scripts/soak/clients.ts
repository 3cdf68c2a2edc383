import { request as httpRequest } from 'node:http';

/** The behaviour of a client. */
type Manner = 'reads' | 'leaves' | 'reads-slowly' | 'stops-reading';

export interface SoakClients {
  /** Count by status; 0 is a connection that broke before a status arrived. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Starts no more requests. Resolves when all running requests are over. */
  stop(): Promise<void>;
}

export function soakClients(
  target: { readonly port: number; readonly key: string },
  count: number,
  random: () => number,
): SoakClients {
  const statuses = new Map<number, number>();
  const state = { isRunning: true };
  async function client(): Promise<void> {
    while (state.isRunning) {
      const status = await visit(target, mannerOf(random()), random);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  const all = Promise.all(Array.from({ length: count }, client));
  return {
    statuses,
    async stop() {
      state.isRunning = false;
      await all;
    },
  };
}

function mannerOf(luck: number): Manner {
  if (luck < 0.7) return 'reads';
  if (luck < 0.9) return 'leaves';
  return luck < 0.98 ? 'reads-slowly' : 'stops-reading';
}

/** Longer than the slowest answer of the soak. */
const visitMaxMs = 20_000;

function visit({ port, key }: { port: number; key: string }, manner: Manner, random: () => number): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: '/v1/chat/completions',
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    });
    const timeoutMs = manner === 'leaves' ? random() * 1500 : visitMaxMs;
    const leaving = setTimeout(() => request.destroy(), timeoutMs);
    request.on('response', (response) => {
      status = response.statusCode ?? 0;
      response.on('error', () => undefined);
      if (manner === 'stops-reading') return;
      response.on('data', () => {
        if (manner !== 'reads-slowly') return;
        response.pause();
        setTimeout(() => response.resume(), 20);
      });
    });
    request.on('error', () => undefined);
    request.on('close', () => {
      clearTimeout(leaving);
      resolve(status);
    });
    const content = 'x'.repeat(random() < 0.05 ? 200_000 : 500);
    request.end(JSON.stringify({ model: 'soak', messages: [{ role: 'user', content }] }));
  });
}
