import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { RawClient } from '../raw-client.ts';

/** Long enough for a whole request on a busy machine, so that only clients that never finish time out. */
const limits = { headers_timeout: '5s', request_timeout: '5s' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((config) => ({ ...config, limits }));
});
afterAll(() => gateway.stop());
afterEach(() => expectAtRest(gateway.gateway));

function request(model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test('500 clients that never finish their headers or their body get 408, and others are served meanwhile', async () => {
  const half = request('other').slice(0, -5);
  const stall = async (_: unknown, index: number): Promise<RawClient> => {
    const client = await RawClient.connect(gateway.port);
    client.send(index % 2 === 0 ? half : half.slice(0, 60));
    return client;
  };
  const clients = await Promise.all(Array.from({ length: 500 }, stall));
  expect((await gateway.chat({})).frames.at(-1)).toBe('[DONE]');
  for (const client of clients) expect((await client.response()).status).toBe(408);
  for (const client of clients) client.destroy();
});
