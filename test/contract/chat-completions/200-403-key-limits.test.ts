import { afterAll, beforeAll, expect, test } from 'vitest';
import { limitKey } from '../../../src/money/accounts/key-limits.ts';
import type { KeyLimits } from '../../../src/money/accounts/keys.ts';
import type { KeyId } from '../../../src/money/accounts/ids.ts';
import {
  type ConfigChange,
  model,
  type GatewayReply,
  startTestGateway,
  type TestGateway,
} from '../../gateways/gateway.ts';
import { findRequest } from '../../../src/money/requests/find-requests.ts';
import { bodiesDropped, bodyReading, bodyVault } from '../../../src/work/bodies/stored-bodies.ts';
import { chat } from '../../chat-client.ts';
import { chunk, finish, gate, sse, usage } from '../../fakes/fake-provider.ts';
import { jumpingClock } from '../../clocks/jumping-clock.ts';
import { makeKey } from '../../keys.ts';

/** No request reaches this queue timeout by itself. A test that needs one moves the clock. */
const maxWaitMs = 90_000;
const clock = jumpingClock();
let gateway: TestGateway;
beforeAll(async () => {
  const change: ConfigChange = (base) => ({
    ...base,
    listen: { host: '127.0.0.1', port: 0, trusted_proxies: ['127.0.0.1'] },
    stored_bodies: { max_bytes: '4KiB', memory_bytes_max: '64KiB' },
    models: [...(base['models'] as object[]), model('embed', { endpoints: ['embeddings'], price: 'free' })],
    waiting: { max_wait: `${maxWaitMs}ms`, hold_headers: '5m' },
  });
  gateway = await startTestGateway(change, { clock });
});
afterAll(() => gateway.stop());

const prompt = { model: 'plain', messages: [{ role: 'user', content: 'hello' }] };

/** The media type of the reply that a key gets. */
async function mediaTypeFor(secret: string, body: object): Promise<string> {
  const reply = await gateway.post(
    '/v1/chat/completions',
    { ...prompt, ...body },
    { authorization: `Bearer ${secret}` },
  );
  expect(reply.status).toBe(200);
  return reply.headers.get('content-type') ?? '';
}

test('a key that honours `stream: false` gets one JSON body, and a stream if the request says `stream: true`', async () => {
  const { secret, id } = await makeKey(gateway.gateway, { account: 'tester', name: 'agent' });
  expect(await mediaTypeFor(secret, { stream: false })).toMatch(/^text\/event-stream/);
  await limitKey(gateway.gateway.store, id as KeyId, { honourStreamFalse: true });
  await expect.poll(() => mediaTypeFor(secret, { stream: false })).toMatch(/^application\/json/);
  expect(await mediaTypeFor(secret, {})).toMatch(/^application\/json/);
  expect(await mediaTypeFor(secret, { stream: true })).toMatch(/^text\/event-stream/);
  expect(await mediaTypeFor(gateway.key, { stream: false })).toMatch(/^text\/event-stream/);
});

/** A key with limits. They are in the store before the first request with it. */
async function makeLimitedKey(limits: KeyLimits): Promise<{ readonly id: KeyId; readonly secret: string }> {
  const { id, secret } = await makeKey(gateway.gateway, { account: 'tester', name: 'limited' });
  await limitKey(gateway.gateway.store, id as KeyId, limits);
  return { id: id as KeyId, secret };
}

test('a key is refused from addresses outside its list, on every surface, also behind proxies', async () => {
  const { secret } = await makeLimitedKey({ addresses: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'] });
  const from = (address: string) => ({
    authorization: `Bearer ${secret}`,
    'x-api-key': secret,
    'x-forwarded-for': address,
  });
  const message = { ...prompt, max_tokens: 5 };
  const requests: Record<string, (address: string) => Promise<GatewayReply>> = {
    models: (address) => gateway.get('/v1/models', from(address)),
    balance: (address) => gateway.get('/v1/user/balance', from(address)),
    chat: (address) => gateway.post('/v1/chat/completions', prompt, from(address)),
    completions: (address) => gateway.post('/v1/completions', { model: 'plain', prompt: 'hello' }, from(address)),
    messages: (address) => gateway.post('/anthropic/v1/messages', message, from(address)),
    counting: (address) => gateway.post('/anthropic/v1/messages/count_tokens', prompt, from(address)),
    responses: (address) => gateway.post('/v1/responses', { model: 'plain', input: 'hello' }, from(address)),
    embeddings: (address) => gateway.post('/v1/embeddings', { model: 'plain', input: 'hello' }, from(address)),
  };
  for (const [surface, send] of Object.entries(requests)) {
    for (const address of ['203.0.114.1', '2001:db9::1', '198.51.100.8', '203.0.113.9, 192.0.2.1']) {
      const reply = await send(address);
      expect([surface, reply.status]).toEqual([surface, 403]);
      expect(reply.json).toMatchObject({ error: { code: 'address_not_allowed', type: 'authentication_error' } });
    }
    for (const address of ['203.0.113.9', '2001:db8:1::7', '198.51.100.7', '192.0.2.1, 203.0.113.9']) {
      expect([surface, (await send(address)).json?.error?.code]).not.toEqual([surface, 'address_not_allowed']);
    }
  }
});

test('a refusal by address is in the request log, and its message names the client’s address', async () => {
  const { secret } = await makeLimitedKey({ addresses: ['203.0.113.0/24'] });
  const reply = await gateway.post('/v1/chat/completions', prompt, { authorization: `Bearer ${secret}` });
  expect(reply.json.error.message).toContain('may not be used from 127.0.0.1');
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  await expect.poll(() => findRequest(gateway.gateway.store, id)).toMatchObject({ errorCase: 'address-not-allowed' });
});

/** Answers that start and then wait until the test opens the gate. */
function heldAnswers() {
  const open = gate();
  const steps = [chunk({ role: 'assistant', content: 'one' }), open.opened, chunk({ content: ' two' })];
  gateway.provider.respond('other', sse([...steps, finish('stop'), usage(10, 10), '[DONE]']));
  return { open, calls: () => gateway.provider.calls.length };
}

test('a key with a concurrency limit of one queues its other requests, while clients leave and retries join', async () => {
  const { secret: key } = await makeLimitedKey({ maxConcurrency: 1 });
  const { port } = gateway;
  const { open, calls } = heldAnswers();
  const before = calls();
  const first = chat({ port, key, headers: { 'idempotency-key': 'first' } });
  await first.waitForText('one');
  // A retry joins the answer, so it takes no slot.
  const joined = chat({ port, key, headers: { 'idempotency-key': 'first' } });
  await joined.waitForText('one');
  const leaving = chat({ port, key });
  const second = chat({ port, key });
  const waiting = () => gateway.gateway.alive();
  await expect.poll(() => waiting().keysWaiting).toBe(2);
  leaving.leave();
  await expect.poll(() => waiting().keysWaiting).toBe(1);
  expect(calls() - before).toBe(1);
  expect(waiting().keySlots).toBe(1);
  open.open();
  for (const each of [first, joined, second]) expect(await each.over).toMatchObject({ status: 200, isDone: true });
  expect(calls() - before).toBe(2);
  await expect.poll(() => [waiting().keySlots, waiting().keysWaiting, waiting().holds]).toEqual([0, 0, 0]);
  const { id } = await second.over;
  const notes = [expect.stringMatching(/^waited \d+ ms for a slot of its key$/)];
  await expect.poll(() => findRequest(gateway.gateway.store, id)).toMatchObject({ notes });
  // Account owners do not see notes, so `waitMs` must include the wait for the key.
  const record = await findRequest(gateway.gateway.store, id);
  const notedMs = Number(/\d+/.exec(record?.notes?.join() ?? '')?.[0]);
  expect(record?.waitMs).toBeGreaterThanOrEqual(notedMs);
});

test('a request that times out in the queue of its key has its wait in its record, on every surface', async () => {
  const { secret: key } = await makeLimitedKey({ maxConcurrency: 1 });
  const { store } = gateway.gateway;
  const { open } = heldAnswers();
  const first = chat({ port: gateway.port, key });
  await first.waitForText('one');
  const headers = { authorization: `Bearer ${key}` };
  for (const [path, body] of [
    ['/v1/chat/completions', prompt],
    ['/v1/embeddings', { model: 'embed', input: 'hello' }],
  ] as const) {
    const replying = gateway.post(path, body, headers);
    const waiting = () => gateway.gateway.alive().keysWaiting;
    await expect.poll(waiting, { message: `requests to ${path} that wait for a slot of the key` }).toBe(1);
    clock.jump(maxWaitMs);
    const reply = await replying;
    expect([path, reply.status]).toEqual([path, 503]);
    const find = () => findRequest(store, reply.headers.get('x-gateway-request-id') ?? '');
    await expect.poll(find).toMatchObject({ errorCase: 'key-busy', attemptCount: 0 });
    expect([path, (await find())?.waitMs]).toEqual([path, expect.any(Number)]);
    expect((await find())?.waitMs).toBeGreaterThanOrEqual(maxWaitMs);
  }
  open.open();
  await first.over;
});

test('raising the limit of a key admits its queued request, without another request', async () => {
  const { id, secret: key } = await makeLimitedKey({ maxConcurrency: 1 });
  const { port } = gateway;
  const { open } = heldAnswers();
  const [first, second] = [chat({ port, key }), chat({ port, key })];
  await Promise.race([first.waitForText('one'), second.waitForText('one')]);
  await expect.poll(() => gateway.gateway.alive().keysWaiting).toBe(1);
  await limitKey(gateway.gateway.store, id, { maxConcurrency: 2 });
  await Promise.all([first.waitForText('one'), second.waitForText('one')]);
  open.open();
  await Promise.all([first.over, second.over]);
});

test('a request above a renewing spend cap is refused, and the message names the time of the reset', async () => {
  const { secret } = await makeLimitedKey({ spendCap: 1n, capPeriod: 'day' });
  const tomorrow = () => new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
  const before = tomorrow();
  const reply = await gateway.post('/v1/chat/completions', prompt, { authorization: `Bearer ${secret}` });
  expect(reply.status).toBe(402);
  expect(reply.json.error.code).toBe('insufficient_balance');
  expect(reply.json.error.message).toContain(`spend cap of 0.000000001 per day`);
  // The day may end during the test.
  expect([before, tomorrow()]).toContain(/\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(reply.json.error.message)?.[0]);
});

/** Waits for the stored bodies of a request and returns them. */
async function storedBodiesOf(id: string): Promise<{ readonly request: string; readonly answer: string }> {
  const { store, pepper } = gateway.gateway;
  const find = () => bodyReading(store, bodyVault(pepper, undefined), { id });
  await expect.poll(find).toBeDefined();
  const found = await find();
  if (found === undefined || typeof found.bodies === 'string') return expect.unreachable();
  return { request: found.bodies.request?.text ?? '', answer: found.bodies.answer?.text ?? '' };
}

test('a key with stored bodies keeps both bodies byte for byte, on every surface', async () => {
  const { secret } = await makeLimitedKey({ storeBodies: true });
  const headers = { authorization: `Bearer ${secret}`, 'x-api-key': secret, 'x-stainless-retry-count': '0' };
  const bodyText = (body: object) => JSON.stringify({ model: 'plain', ...body }, undefined, 1);
  const requests = [
    ['/v1/chat/completions', bodyText({ messages: prompt.messages, user: 'héllo' })],
    ['/v1/chat/completions', bodyText({ messages: prompt.messages, max_tokens: -1 })],
    ['/v1/chat/completions', `{"model": "plain", "messages": [`],
    ['/v1/completions', bodyText({ prompt: 'hello' })],
    ['/anthropic/v1/messages', bodyText({ messages: prompt.messages, max_tokens: 5 })],
    ['/v1/responses', bodyText({ input: 'hello' })],
    ['/v1/embeddings', bodyText({ input: 'hello' })],
  ] as const;
  for (const [path, text] of requests) {
    const reply = await gateway.postText(path, text, headers);
    const stored = await storedBodiesOf(reply.headers.get('x-gateway-request-id') ?? '');
    expect([path, stored.request]).toEqual([path, text]);
    expect([path, stored.answer]).toEqual([path, reply.text]);
  }
});

test('a key without stored bodies keeps none, and neither does a key after the setting is switched off', async () => {
  const { id, secret } = await makeLimitedKey({ storeBodies: true });
  // A request with a query takes the slow path. The fast path never stores bodies.
  const send = async (key: string) => {
    const reply = await gateway.post('/v1/chat/completions?', prompt, { authorization: `Bearer ${key}` });
    return reply.headers.get('x-gateway-request-id') ?? '';
  };
  const other = await makeLimitedKey({ storeBodies: true });
  await storedBodiesOf(await send(secret));
  const unstored = await send(gateway.key);
  await limitKey(gateway.gateway.store, id, { storeBodies: false });
  const after = await send(secret);
  // The bodies of a request are queued before its record, and before the bodies of a later request with another key.
  await expect.poll(() => findRequest(gateway.gateway.store, after), { message: 'the record' }).toBeDefined();
  await storedBodiesOf(await send(other.secret));
  expect([await bodiesAt(unstored), await bodiesAt(after)]).toEqual([undefined, undefined]);
});

const bodiesAt = (id: string) =>
  bodyReading(gateway.gateway.store, bodyVault(gateway.gateway.pepper, undefined), { id });

test('a long body is truncated; a body above the memory quota is dropped, and its request has a note', async () => {
  const { secret } = await makeLimitedKey({ storeBodies: true });
  const long = (characters: number) => JSON.stringify({ ...prompt, user: 'u', padding: 'x'.repeat(characters) });
  const send = (text: string) => gateway.postText('/v1/chat/completions', text, { authorization: `Bearer ${secret}` });
  const truncated = await send(long(10_000));
  expect(truncated.status).toBe(200);
  const { request, answer } = await storedBodiesOf(truncated.headers.get('x-gateway-request-id') ?? '');
  expect([request, answer]).toEqual([long(10_000).slice(0, 4096), truncated.text]);
  // Running answers fill the memory quota.
  const { open } = heldAnswers();
  const { port } = gateway;
  const held = Array.from({ length: 20 }, () => chat({ port, key: secret, body: { padding: 'x'.repeat(5000) } }));
  await Promise.all(held.map((each) => each.waitForText('one')));
  const full = await send(long(10_000));
  expect(full.status).toBe(200);
  const id = full.headers.get('x-gateway-request-id') ?? '';
  await expect.poll(() => findRequest(gateway.gateway.store, id)).toMatchObject({ notes: [bodiesDropped] });
  expect(await bodiesAt(id)).toBeUndefined();
  open.open();
  await Promise.all(held.map((each) => each.over));
});
