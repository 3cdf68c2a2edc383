import { expect, test } from 'vitest';
import type { Exchange } from '../../../src/serving/http/exchange.ts';
import { RawClient } from '../../raw-client.ts';
import { get, post, startHttpServer } from './http-server.ts';

const concurrent = 100;

test.each([
  ['the acceptor takes', 'Content-Type: application/json\r\n'],
  ['the acceptor leaves to Node’s server', 'Content-Type: application/json\r\nProxy-Connection: keep-alive\r\n'],
])('a health probe waits for less than half of the concurrent requests that %s', async (_label, headers) => {
  let [nowMs, started] = [0, 0];
  let startedBefore: number | undefined;
  const handle = async (exchange: Exchange): Promise<void> => {
    nowMs += 0.3;
    await exchange.readJson();
    nowMs += 0.3;
    exchange.json(200, (started += 1));
  };
  const { port } = await startHttpServer({
    clock: { elapsed: () => nowMs },
    routes: [
      { method: 'POST', path: '/ask', handle },
      { method: 'GET', path: '/health', handle: (exchange) => exchange.json(200, (startedBefore = started)) },
    ],
  });
  const clients = await Promise.all(Array.from({ length: concurrent + 1 }, () => RawClient.connect(port)));
  const prober = clients[concurrent]!;
  // All at once: most connections are not accepted yet, and the health probe is after all of them.
  for (const client of clients.slice(0, concurrent)) client.send(post('/ask', '{}', headers));
  prober.send(get('/health'));
  for (const client of clients) expect((await client.response()).status).toBe(200);
  expect(started).toBe(concurrent);
  expect(startedBefore).toBeLessThan(concurrent / 2);
  for (const client of clients) client.destroy();
});
