import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { chunk, finish, usage } from '../fake-replies.ts';

/** A provider that counts the calls it has at once, from whichever gateway they come. */
export interface CountingProvider {
  readonly port: number;
  readonly inFlight: number;
  /** The most it ever had at once. */
  readonly most: number;
  /** Calls that have ended, by the text of their prompt: the account's name. */
  readonly served: ReadonlyMap<string, number>;
  close(): void;
}

/** Each answer takes about so long. */
export async function countingProvider(serviceMs: number): Promise<CountingProvider> {
  const served = new Map<string, number>();
  const state = { inFlight: 0, most: 0 };
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    state.inFlight += 1;
    state.most = Math.max(state.most, state.inFlight);
    response.once('close', () => (state.inFlight -= 1));
    const { messages } = JSON.parse(await text(request)) as { messages: { content: string }[] };
    const account = messages.at(-1)!.content;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(chunk({ content: 'word' }))}\n\n`);
    await delay(serviceMs * (0.5 + Math.random()));
    if (!response.destroyed) served.set(account, (served.get(account) ?? 0) + 1);
    for (const event of [finish('stop'), usage(10, 10)]) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end('data: [DONE]\n\n');
  }
  // A gateway that is killed in the middle of its request has none.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get inFlight() {
      return state.inFlight;
    },
    get most() {
      return state.most;
    },
    served,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
