import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { findRequest } from '../../../src/money/requests/find-requests.ts';
import { ServedRequest } from '../../../src/serving/surfaces/served-request.ts';
import { isDeep } from '../../depth.ts';
import { expectEnvelope, expectGatewayHeaders } from '../../expectations.ts';
import { answer, chunk, endings, finish, gate, json, sse, usage } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { RawClient } from '../../raw-client.ts';

let gateway: TestGateway;
let keysMade = 0;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    sites: [
      { name: 'main', domains: ['*'], models: ['*'] },
      { name: 'whole', domains: ['localhost'], models: ['*'], honour_stream_false: true },
    ],
  }));
});
afterAll(() => gateway.stop());

/** Called once for each request that joins another one. */
const joins = vi.spyOn(ServedRequest.prototype, 'replays');
beforeEach(() => void joins.mockClear());

async function hasJoined(count: number): Promise<void> {
  await expect.poll(() => joins.mock.calls.length, { message: 'requests that have joined', interval: 2 }).toBe(count);
}

const newIdempotencyKey = (): string => `name ${++keysMade}`;
const withIdempotencyKey = (name: string) => ({ 'idempotency-key': name });
const calls = () => gateway.provider.calls.length;
const idOf = (reply: { headers: Headers }) => reply.headers.get('x-gateway-request-id') ?? '';

test('a second request with the same Idempotency-Key gets the same bytes under its own request id', async () => {
  const [name, before] = [newIdempotencyKey(), calls()];
  const first = await gateway.chat({}, withIdempotencyKey(name));
  const second = await gateway.chat({}, withIdempotencyKey(name));
  expect(second.text).toBe(first.text);
  expect(idOf(second)).not.toBe(idOf(first));
  expectGatewayHeaders(second);
  expect(calls() - before).toBe(1);
  await expect
    .poll(() => findRequest(gateway.gateway.store, idOf(second)))
    .toMatchObject({ replayOf: idOf(first), cost: 0n, status: 200 });
});

test('an answer without streaming is replayed too', async () => {
  const [name, before] = [newIdempotencyKey(), calls()];
  const send = async () => {
    const response = await fetch(`http://localhost:${gateway.port}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'application/json',
        ...withIdempotencyKey(name),
      },
      body: JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'x' }], stream: false }),
    });
    return [response.status, response.headers.get('content-type'), await response.text()] as const;
  };
  const first = await send();
  expect(first[1]).toBe('application/json');
  expect(await send()).toEqual(first);
  expect(calls() - before).toBe(1);
});

test('a used Idempotency-Key with another body is rejected, and the message names the header', async () => {
  const name = newIdempotencyKey();
  await gateway.chat({}, withIdempotencyKey(name));
  const reply = await gateway.chat({ temperature: 0 }, withIdempotencyKey(name));
  expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
  expect(reply.json.error.message).toContain('Idempotency-Key');
  const long = await gateway.chat({}, withIdempotencyKey('x'.repeat(256)));
  expectEnvelope(long, { status: 400, code: 'invalid_request', type: 'gateway_error' });
});

test('the same Idempotency-Key with another API key is a separate request', async () => {
  const [name, before, other] = [newIdempotencyKey(), calls(), await gateway.newKey()];
  await gateway.chat({}, withIdempotencyKey(name));
  await gateway.chat({ temperature: 0 }, { ...withIdempotencyKey(name), authorization: `Bearer ${other}` });
  expect(calls() - before).toBe(2);
});

test('a retry that an SDK counts joins the request with the same body; one that it does not count is a new request', async () => {
  const before = calls();
  const body = { messages: [{ role: 'user', content: newIdempotencyKey() }] };
  const count = (retries: number) => ({ 'x-stainless-retry-count': String(retries) });
  const first = await gateway.chat(body, count(0));
  expect((await gateway.chat(body, count(1))).text).toBe(first.text);
  expect(calls() - before).toBe(1);
  const second = await gateway.chat(body, count(0));
  expect(second.text).not.toBe(first.text);
  expect((await gateway.chat(body, count(2))).text).toBe(second.text);
  await gateway.chat({ ...body, temperature: 0 }, count(1));
  await gateway.chat(body);
  expect(calls() - before).toBe(4);
});

test('a failed generation is not replayed: the retry generates again', async () => {
  const name = newIdempotencyKey();
  const broken = sse([chunk({ role: 'assistant', content: 'half' }), endings.cut]);
  const seen = gateway.provider.calls.filter(({ key }) => key === 'thinker').length;
  const fails = [json(400, { error: { message: 'no' } }), broken, answer('at last')];
  gateway.provider.respond('thinker', ...Array.from({ length: seen }, () => broken), ...fails);
  const send = () => gateway.chat({ model: 'thinker' }, withIdempotencyKey(name));
  expect((await send()).status).toBe(400);
  expect((await send()).text).toContain('upstream_failed');
  expect((await send()).frames.at(-1)).toBe('[DONE]');
});

test('all requests that joined a rejected request get its error', async () => {
  const { opened, open } = gate();
  const index = gateway.provider.calls.filter(({ key }) => key === 'thinker').length;
  gateway.provider.respond('thinker', async (writer, call) => {
    await opened;
    await json(400, { error: { code: 'bad_thing' } })(writer, call);
  });
  const name = newIdempotencyKey();
  const replies = Array.from({ length: 3 }, () => gateway.chat({ model: 'thinker' }, withIdempotencyKey(name)));
  await gateway.provider.call('thinker', index).received;
  await hasJoined(2);
  open();
  const ids = new Set<string>();
  for (const reply of await Promise.all(replies)) {
    expectEnvelope(reply, { status: 400, code: 'bad_thing', type: 'upstream_error' });
    ids.add(idOf(reply));
  }
  expect(ids.size).toBe(3);
});

test('clients join and leave at any time: one generation, one charge, the same bytes for those that stay', async () => {
  const plan = fc.array(fc.record({ at: fc.integer({ min: 0, max: 3 }), leavesAt: fc.integer({ min: 0, max: 9 }) }), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(fc.asyncProperty(plan, joinAndLeave), { numRuns: isDeep ? 25 : 8 });
});

/** Plays one answer of four pieces. Each client joins before a piece, and leaves before a piece or not at all. */
async function joinAndLeave(plan: readonly { readonly at: number; readonly leavesAt: number }[]): Promise<void> {
  const name = newIdempotencyKey();
  const gates = [gate(), gate(), gate(), gate()];
  const pieces = gates.flatMap(({ opened }, index) => [opened, chunk({ content: `piece ${index}.` })]);
  const index = gateway.provider.calls.filter(({ key }) => key === 'other').length;
  gateway.provider.respond('other', sse([...pieces, finish('stop'), usage(7, 4), '[DONE]']));
  const first = await sendRequest(name);
  await gateway.provider.call('other', index).received;
  const clients: { readonly client: RawClient; readonly leavesAt: number }[] = [{ client: first, leavesAt: 9 }];
  const joinedBefore = joins.mock.calls.length;
  for (const [piece, { open }] of gates.entries()) {
    for (const { leavesAt } of plan.filter(({ at }) => at === piece)) {
      clients.push({ client: await sendRequest(name), leavesAt });
      // A client that left before this would not have joined.
      await hasJoined(joinedBefore + clients.length - 1);
    }
    for (const { client } of clients.filter(({ leavesAt }) => leavesAt === piece)) client.destroy();
    open();
    await first.received(`piece ${piece}.`);
  }
  const staying = clients.filter(({ leavesAt }) => leavesAt > 3);
  const bodies = await Promise.all(staying.map(async ({ client }) => (await client.response()).body));
  for (const { client } of clients) client.destroy();
  expect(new Set(bodies).size).toBe(1);
  expect(bodies[0]).toContain('[DONE]');
  expect(gateway.provider.calls.filter(({ key }) => key === 'other').length - index).toBe(1);
  const id = /chatcmpl-(\w+)/.exec(bodies[0] ?? '')?.[1] ?? '';
  const { store } = gateway.gateway;
  await expect
    .poll(() => store.db.selectFrom('requests').select('id').where('replay_of', '=', id).execute())
    .toHaveLength(plan.length);
  const charges = await store.db
    .selectFrom('transfers')
    .select('reference')
    .where('kind', '=', 'charge')
    .where('reference', '>=', id)
    .execute();
  expect(charges).toEqual([{ reference: id }]);
  await expect.poll(() => gateway.gateway.inFlight()).toEqual({ exchanges: 0, answers: 0 });
}

async function sendRequest(name: string): Promise<RawClient> {
  const body = JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'x' }] });
  const client = await RawClient.connect(gateway.port);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}`;
  const headers = `Content-Type: application/json\r\nIdempotency-Key: ${name}\r\nContent-Length: ${body.length}`;
  client.send(`${head}\r\n${headers}\r\n\r\n${body}`);
  return client;
}
