import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Streams that send a request, read the answer to its end, pause and repeat, until they are stopped. */
export interface LiveClients {
  /** Count of replies by status. */
  readonly statuses: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

/** The streams of one key. */
export interface StreamGroup {
  readonly key: string;
  readonly streams: number;
  readonly pauseMs: number;
}

export function liveClients(port: number, groups: readonly StreamGroup[]): LiveClients {
  const agent = new Agent({ keepAlive: true });
  const statuses = new Map<number, number>();
  const over = new AbortController();
  const client = async ({ key, pauseMs }: StreamGroup): Promise<void> => {
    while (!over.signal.aborted) {
      const status = await send(agent, port, key);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (pauseMs > 0) await delay(pauseMs * (0.5 + Math.random()));
    }
  };
  const running = groups.flatMap((group) => Array.from({ length: group.streams }, () => client(group)));
  return {
    statuses,
    async stop() {
      over.abort();
      await Promise.all(running);
      agent.destroy();
    },
  };
}

const body = JSON.stringify({ model: 'live', messages: [{ role: 'user', content: 'Say something long.' }] });

function send(agent: Agent, port: number, key: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
  };
  return new Promise((resolve, reject) => {
    const options = { agent, host: '127.0.0.1', port, method: 'POST', path: '/v1/chat/completions', headers };
    const sent = request(options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
