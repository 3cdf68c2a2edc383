import { connect, type Socket } from 'node:net';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Base, baseOf, expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { answer, chunk, endings, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { RawClient, rawExchange } from '../raw-client.ts';

let gateway: TestGateway;
let base: Base;
beforeAll(async () => {
  gateway = await startTestGateway((config) => ({
    ...config,
    upstreams: (config['upstreams'] as object[]).map((upstream) => ({
      ...upstream,
      max_concurrency: 300,
    })),
    limits: { keep_alive_timeout: '400ms' },
  }));
});
afterAll(() => gateway.stop());
beforeEach(() => {
  base = baseOf(gateway.gateway);
});
afterEach(() => expectAtRest(gateway.gateway, base));

const begun = chunk({ role: 'assistant', content: 'one' });

function request(model: string, more = ''): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** The records of all requests since then, newest last. */
async function records(since: number, { store } = gateway.gateway) {
  const rows = store.db
    .selectFrom('requests')
    .select(['id', 'status', 'client_gone', 'cost', 'completion_tokens'])
    .where('started_at', '>=', since);
  return rows.orderBy('started_at').execute();
}

test('a thousand clients that disconnect while they wait are never dispatched and pay nothing', async () => {
  const since = Date.now();
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([begun, opened, finish('stop'), usage(1, 1), '[DONE]']));
  const running = Array.from({ length: 300 }, () => chat(gateway));
  await Promise.all(running.map((one) => one.waitForText('one')));
  const calls = gateway.provider.calls.length;
  const waiting = Array.from({ length: 1000 }, () => chat(gateway));
  await expect.poll(() => gateway.gateway.alive().holds, { message: 'holds of all requests' }).toBe(1300);
  for (const one of waiting) one.leave();
  await expect
    .poll(() => gateway.gateway.alive(), { message: 'requests whose clients have not left' })
    .toMatchObject({ exchanges: 300, holds: 300 });
  open();
  for (const one of running) expect(await one.over).toMatchObject({ isDone: true });
  expect(gateway.provider.calls).toHaveLength(calls);
  await expect.poll(async () => (await records(since)).length, { message: 'records' }).toBe(1300);
  const left = (await records(since)).filter((row) => row.client_gone === 1);
  expect(left).toHaveLength(1000);
  expect(left.filter(({ cost, completion_tokens }) => cost !== null || completion_tokens !== null)).toEqual([]);
  // A request that has received keep-alive comments already has status 200.
  expect(left.filter(({ status }) => status !== 499 && status !== 200)).toEqual([]);
});

/** The answer has 8 words, then finish, usage and end. The client may disconnect after each event. */
const words = 8;
test.each(Array.from({ length: words + 3 }, (_, count) => count))(
  'a client that disconnects after %i events is charged once, at most for the text so far',
  async (count) => {
    const since = Date.now();
    const { opened, open } = gate();
    const events = [
      ...Array.from({ length: words }, (_, index) => chunk({ content: ` w${index}` })),
      finish('stop'),
      usage(5, words),
    ];
    gateway.provider.respond('other', sse([...events.slice(0, count), opened, ...events.slice(count), '[DONE]']));
    const index = gateway.provider.calls.filter(({ key }) => key === 'other').length;
    const client = await RawClient.connect(gateway.port);
    client.send(request('other'));
    await gateway.provider.call('other', index).received;
    // Finish and usage are held back until the charge is durable, so the test can only wait for words.
    if (count > 0) await client.received(` w${Math.min(count, words) - 1}"`);
    client.destroy();
    if (count <= words) await gateway.provider.call('other', index).aborted;
    open();
    await expect.poll(async () => (await records(since)).length, { message: 'records' }).toBe(1);
    const [row] = await records(since);
    expect(row?.completion_tokens ?? 0).toBeLessThanOrEqual(2 * words);
    const transfers = gateway.gateway.store.db.selectFrom('transfers').select('kind').where('reference', '=', row!.id);
    expect((await transfers.execute()).length).toBe(Number(row?.cost ?? 0) > 0 ? 1 : 0);
    // The provider has received the request, so the prompt is always charged.
    expect(Number(row?.cost)).toBeGreaterThan(0);
  },
);

test('a client that reads slowly gets the complete answer, and does not slow down others', async () => {
  const text = 'x'.repeat(4096);
  const pieces = Array.from({ length: 500 }, () => chunk({ content: text }));
  gateway.provider.respond('other', sse([...pieces, finish('stop'), usage(1, 500), '[DONE]']));
  const socket = connect(gateway.port, '127.0.0.1', () => socket.write(request('other', 'Connection: close\r\n')));
  const reading = socket.iterator({ destroyOnReturn: false });
  const [first, quick] = [await reading.next(), await gateway.chat({})];
  expect(quick.frames.at(-1)).toBe('[DONE]');
  let seen = String(first.value);
  for await (const piece of reading) {
    seen += String(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(seen.length).toBeGreaterThan(500 * 4096);
  expect(seen).toContain('data: [DONE]');
});

test('the gateway disconnects a client that never reads, aborts the upstream call and charges what it fetched', async () => {
  const since = Date.now();
  // A short timeout only here: on a busy machine it could hit clients that do read.
  const stallingGateway = await startTestGateway((config) => ({ ...config, limits: { reader_stall_timeout: '1s' } }));
  try {
    const flood = Array.from({ length: 2000 }, () => chunk({ content: 'x'.repeat(64 * 1024) }));
    stallingGateway.provider.respond('other', sse([begun, ...flood, endings.hang]));
    const head = request('other').replace(gateway.key, stallingGateway.key);
    const socket = connect(stallingGateway.port, '127.0.0.1', () => socket.write(head));
    socket.on('error', () => {}).pause();
    await stallingGateway.provider.call('other').aborted;
    await expect
      .poll(() => records(since, stallingGateway.gateway), { message: 'the record of the client that never reads' })
      .toMatchObject([{ status: 200, client_gone: 1, cost: expect.toSatisfy((cost) => Number(cost) > 0) }]);
    socket.destroy();
    await expectAtRest(stallingGateway.gateway);
  } finally {
    await stallingGateway.stop();
  }
});

test('three pipelined requests are answered in order, each with its own id', async () => {
  gateway.provider.respond('other', answer('first'));
  gateway.provider.respond('thinker', answer('second'));
  const client = await RawClient.connect(gateway.port);
  client.send(request('other') + request('thinker') + request('plain'));
  const [first, second, third] = [await client.response(), await client.response(), await client.response()];
  expect(first.body).toContain('"content":"first"');
  expect(second.body).toContain('"content":"second"');
  expect(third.body).toContain('"content":"Hello"');
  const ids = [first, second, third].map(({ headers }) => headers['x-gateway-request-id']);
  expect(new Set(ids).size).toBe(3);
  for (const [index, { body }] of [first, second, third].entries()) expect(body).toContain(ids[index]);
  client.destroy();
});

test('2000 idle connections are closed after the keep-alive timeout, without a byte', async () => {
  const clients: RawClient[] = [];
  for (let round = 0; round < 20; round += 1) {
    const some = await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(gateway.port)));
    for (const client of some) client.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    for (const client of some) expect((await client.response()).status).toBe(200);
    clients.push(...some);
  }
  for (const client of clients) expect(await client.rest()).toBe('');
});

test('a client with a bad key and `Expect: 100-continue` is rejected before it sends its body', async () => {
  const offered = request('other', 'Expect: 100-continue\r\n').replace(gateway.key, 'gwk_live_nonsense');
  const head = offered.slice(0, offered.indexOf('\r\n\r\n') + 4);
  expect((await rawExchange(gateway.port, head)).status).toBe(401);
});

test('an SDK that times out and retries makes two requests, and the first is charged only for its prompt', async () => {
  const since = Date.now();
  const index = gateway.provider.calls.filter(({ key }) => key === 'other').length;
  const replies = Array.from({ length: index }, () => answer('earlier'));
  gateway.provider.respond('other', ...replies, sse([endings.hang]), answer('at last'));
  const sdkTimeout = new AbortController();
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: gateway.key,
    maxRetries: 1,
    fetch: async (address, init) => {
      if (!sdkTimeout.signal.aborted) return fetch(address, { ...init, signal: sdkTimeout.signal });
      // A retry that arrives before the gateway detects the disconnect would join the first request.
      await gateway.provider.call('other', index).aborted;
      return fetch(address, { ...init, signal: null });
    },
  });
  // Acts like the SDK's own timeout, but only after the provider has the request.
  void gateway.provider.call('other', index).received.then(() => sdkTimeout.abort());
  const messages = [{ role: 'user' as const, content: 'x' }];
  const stream = await client.chat.completions.create({ model: 'other', messages, stream: true });
  let text = '';
  for await (const piece of stream) text += piece.choices[0]?.delta.content ?? '';
  expect(text).toBe('at last');
  await expect.poll(async () => (await records(since)).length, { message: 'records' }).toBe(2);
  const [first, second] = await records(since);
  expect([first?.client_gone, first?.completion_tokens]).toEqual([1, 0]);
  expect(Number(first?.cost)).toBeGreaterThan(0);
  expect(Number(first?.cost)).toBeLessThan(Number(second?.cost));
  expect([second?.client_gone, Number(second?.cost)]).toEqual([0, 7 * 1000 + 2 * 2000]);
});

test('a client that resets its connection in the middle of its body leaves nothing behind', async () => {
  const sockets: Socket[] = await Promise.all(
    Array.from({ length: 100 }, async () => (await RawClient.connect(gateway.port)).socket),
  );
  for (const socket of sockets) socket.write(request('other').slice(0, -3));
  await expect.poll(() => gateway.gateway.alive().exchanges, { message: 'requests with an incomplete body' }).toBe(100);
  for (const socket of sockets) socket.resetAndDestroy();
});
