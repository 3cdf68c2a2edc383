import { expect, test } from 'vitest';
import type { Exchange } from '../../../src/http/exchange.ts';
import { RawClient } from '../../raw-client.ts';
import { get, post, startHttpServer } from './http-server.ts';

const crowd = 100;

test.each([
  ['the acceptor takes', 'Content-Type: application/json\r\n'],
  ['the acceptor leaves to Node’s server', 'Content-Type: application/json\r\nProxy-Connection: keep-alive\r\n'],
])('who asks how the process is doing waits for few of a crowd whose requests %s', async (_which, headers) => {
  let [nowMs, begun] = [0, 0];
  let begunBefore: number | undefined;
  const handle = async (exchange: Exchange): Promise<void> => {
    nowMs += 0.3;
    await exchange.readJson();
    nowMs += 0.3;
    exchange.json(200, (begun += 1));
  };
  const { port } = await startHttpServer({
    clock: { elapsed: () => nowMs },
    routes: [
      { method: 'POST', path: '/ask', handle },
      { method: 'GET', path: '/health', handle: (exchange) => exchange.json(200, (begunBefore = begun)) },
    ],
  });
  const clients = await Promise.all(Array.from({ length: crowd + 1 }, () => RawClient.connect(port)));
  const prober = clients[crowd]!;
  // In one go: most of them have not been accepted yet, and whoever asks for the health is behind them all.
  for (const client of clients.slice(0, crowd)) client.send(post('/ask', '{}', headers));
  prober.send(get('/health'));
  for (const client of clients) expect((await client.response()).status).toBe(200);
  expect(begun).toBe(crowd);
  expect(begunBefore).toBeLessThan(crowd / 2);
  for (const client of clients) client.destroy();
});
