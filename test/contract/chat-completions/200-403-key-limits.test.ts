import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KeyLimits, limitKey } from '../../../src/accounts/key-limits.ts';
import type { KeyId } from '../../../src/accounts/ids.ts';
import { type Reply, startTestGateway, type TestGateway } from '../../gateway.ts';
import { findRequest } from '../../../src/requests/find-requests.ts';
import { chat } from '../../chat-client.ts';
import { chunk, finish, gate, sse, usage } from '../../fake-provider.ts';
import { makeKey } from '../../keys.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    listen: { host: '127.0.0.1', port: 0, trusted_proxies: ['127.0.0.1'] },
  }));
});
afterAll(() => gateway.stop());

const prompt = { model: 'plain', messages: [{ role: 'user', content: 'hello' }] };

/** The media type a key is answered with. */
async function answered(secret: string, body: object): Promise<string> {
  const reply = await gateway.post(
    '/v1/chat/completions',
    { ...prompt, ...body },
    { authorization: `Bearer ${secret}` },
  );
  expect(reply.status).toBe(200);
  return reply.headers.get('content-type') ?? '';
}

test('a key that honours `stream: false` gets one JSON body, and a stream when it asks for one', async () => {
  const { secret, id } = await makeKey(gateway.gateway, { account: 'tester', name: 'agent' });
  expect(await answered(secret, { stream: false })).toMatch(/^text\/event-stream/);
  await limitKey(gateway.gateway.store, id as KeyId, { honourStreamFalse: true });
  await expect.poll(() => answered(secret, { stream: false })).toMatch(/^application\/json/);
  expect(await answered(secret, {})).toMatch(/^application\/json/);
  expect(await answered(secret, { stream: true })).toMatch(/^text\/event-stream/);
  expect(await answered(gateway.key, { stream: false })).toMatch(/^text\/event-stream/);
});

/** A key with limits, as it stands in the store before anybody has used it. */
async function limited(limits: KeyLimits): Promise<{ readonly id: KeyId; readonly secret: string }> {
  const { id, secret } = await makeKey(gateway.gateway, { account: 'tester', name: 'limited' });
  await limitKey(gateway.gateway.store, id as KeyId, limits);
  return { id: id as KeyId, secret };
}

test('a key is refused from elsewhere than it may be used from, on every surface, behind proxies too', async () => {
  const { secret } = await limited({ addresses: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'] });
  const from = (address: string) => ({
    authorization: `Bearer ${secret}`,
    'x-api-key': secret,
    'x-forwarded-for': address,
  });
  const message = { ...prompt, max_tokens: 5 };
  const asks: Record<string, (address: string) => Promise<Reply>> = {
    models: (address) => gateway.get('/v1/models', from(address)),
    balance: (address) => gateway.get('/v1/user/balance', from(address)),
    chat: (address) => gateway.post('/v1/chat/completions', prompt, from(address)),
    completions: (address) => gateway.post('/v1/completions', { model: 'plain', prompt: 'hello' }, from(address)),
    messages: (address) => gateway.post('/anthropic/v1/messages', message, from(address)),
    counting: (address) => gateway.post('/anthropic/v1/messages/count_tokens', prompt, from(address)),
    responses: (address) => gateway.post('/v1/responses', { model: 'plain', input: 'hello' }, from(address)),
    embeddings: (address) => gateway.post('/v1/embeddings', { model: 'plain', input: 'hello' }, from(address)),
  };
  for (const [surface, ask] of Object.entries(asks)) {
    for (const address of ['203.0.114.1', '2001:db9::1', '198.51.100.8', '203.0.113.9, 192.0.2.1']) {
      const reply = await ask(address);
      expect([surface, reply.status]).toEqual([surface, 403]);
      expect(reply.json).toMatchObject({ error: { code: 'address_not_allowed', type: 'authentication_error' } });
    }
    for (const address of ['203.0.113.9', '2001:db8:1::7', '198.51.100.7', '192.0.2.1, 203.0.113.9']) {
      expect([surface, (await ask(address)).json?.error?.code]).not.toEqual([surface, 'address_not_allowed']);
    }
  }
});

test('a refusal by address is found among the requests, and names the address that was seen', async () => {
  const { secret } = await limited({ addresses: ['203.0.113.0/24'] });
  const reply = await gateway.post('/v1/chat/completions', prompt, { authorization: `Bearer ${secret}` });
  expect(reply.json.error.message).toContain('may not be used from 127.0.0.1');
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  await expect.poll(() => findRequest(gateway.gateway.store, id)).toMatchObject({ errorCase: 'address-not-allowed' });
});

/** Answers that begin and wait to be let go on. */
function heldAnswers() {
  const open = gate();
  const steps = [chunk({ role: 'assistant', content: 'one' }), open.opened, chunk({ content: ' two' })];
  gateway.provider.respond('other', sse([...steps, finish('stop'), usage(10, 10), '[DONE]']));
  return { open, calls: () => gateway.provider.calls.length };
}

test('a key that may have one request at once has its others wait their turn, whoever leaves or joins', async () => {
  const { secret: key } = await limited({ maxConcurrency: 1 });
  const { port } = gateway;
  const { open, calls } = heldAnswers();
  const before = calls();
  const first = chat({ port, key, headers: { 'idempotency-key': 'first' } });
  await first.says('one');
  // A retry joins the answer: it takes no turn.
  const joined = chat({ port, key, headers: { 'idempotency-key': 'first' } });
  await joined.says('one');
  const impatient = chat({ port, key });
  const second = chat({ port, key });
  const waiting = () => gateway.gateway.alive();
  await expect.poll(() => waiting().keysWaiting).toBe(2);
  impatient.leave();
  await expect.poll(() => waiting().keysWaiting).toBe(1);
  expect(calls() - before).toBe(1);
  expect(waiting().keyPlaces).toBe(1);
  open.open();
  for (const each of [first, joined, second]) expect(await each.over).toMatchObject({ status: 200, isDone: true });
  expect(calls() - before).toBe(2);
  await expect.poll(() => [waiting().keyPlaces, waiting().keysWaiting, waiting().holds]).toEqual([0, 0, 0]);
  const { id } = await second.over;
  const notes = [expect.stringMatching(/^waited \d+ ms for the turn of its key$/)];
  await expect.poll(() => findRequest(gateway.gateway.store, id)).toMatchObject({ notes });
});

test('who waits for a turn has it when its key is allowed more, without another request', async () => {
  const { id, secret: key } = await limited({ maxConcurrency: 1 });
  const { port } = gateway;
  const { open } = heldAnswers();
  const [first, second] = [chat({ port, key }), chat({ port, key })];
  await Promise.race([first.says('one'), second.says('one')]);
  await expect.poll(() => gateway.gateway.alive().keysWaiting).toBe(1);
  await limitKey(gateway.gateway.store, id, { maxConcurrency: 2 });
  await Promise.all([first.says('one'), second.says('one')]);
  open.open();
  await Promise.all([first.over, second.over]);
});

test('a cap that renews refuses what it does not cover, and says when it is new', async () => {
  const { secret } = await limited({ spendCap: 1n, capPeriod: 'day' });
  const reply = await gateway.post('/v1/chat/completions', prompt, { authorization: `Bearer ${secret}` });
  expect(reply.status).toBe(402);
  expect(reply.json.error.code).toBe('insufficient_balance');
  const tomorrow = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
  expect(reply.json.error.message).toContain(`may spend 0.000000001 a day`);
  expect(reply.json.error.message).toContain(tomorrow);
});
