import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { listRequests } from '../../src/money/requests/find-requests.ts';
import { SharedReply } from '../../src/serving/surfaces/replies/shared-reply.ts';
import { chunk, endings, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { type TcpProxy, tcpProxy } from '../services/tcp-proxy.ts';

let gateway: TestGateway;
let wire: TcpProxy;
let client: OpenAI;
let callsBefore: number;
/** Each attempt of the SDK waits for this before it is sent. */
let beforeAttempt: () => Promise<unknown>;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({ ...base, waiting: { hold_headers: '60s' } }));
  wire = await tcpProxy(gateway.port);
  client = new OpenAI({
    baseURL: `http://127.0.0.1:${wire.port}/v1`,
    apiKey: gateway.key,
    maxRetries: 3,
    fetch: async (address, init) => {
      await beforeAttempt();
      return fetch(address, init);
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await wire.close();
});
beforeEach(() => {
  callsBefore = gateway.provider.calls.length;
  beforeAttempt = () => Promise.resolve();
});

const messages = [{ role: 'user' as const, content: 'hello' }];
const rest = [chunk({ content: ' two' }), finish('stop'), usage(5, 2), '[DONE]'];

async function textOf(question: string, headers: Record<string, string> = {}): Promise<{ text: string; id: string }> {
  const stream = await client.chat.completions.create(
    { model: 'other', messages: [...messages, { role: 'user', content: question }], stream: true },
    { headers },
  );
  let [text, id] = ['', ''];
  for await (const { id: answerId, choices } of stream) {
    text += choices[0]?.delta.content ?? '';
    id = answerId;
  }
  return { text, id };
}

/** Waits for `count` requests in the log. Returns the newest ones, oldest first. */
async function recentRequests(count: number) {
  const { store } = gateway.gateway;
  const newest = async () => (await listRequests(store, { limit: count })).toReversed();
  await expect.poll(async () => (await newest()).length).toBe(count);
  return newest();
}

async function chargedFor(...ids: readonly string[]) {
  const { store } = gateway.gateway;
  expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  return store.db.selectFrom('transfers').select('reference').where('reference', 'in', ids).execute();
}

test('a request with an Idempotency-Key survives a closed connection, and the SDK’s retry joins it: one generation, one charge', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([opened, chunk({ role: 'assistant', content: 'one' }), ...rest]));
  const answer = textOf('named', { 'Idempotency-Key': 'order 17' });
  await gateway.provider.call('other', callsBefore).received;
  const inFlight = () => gateway.gateway.inFlight();
  // The retry is sent after the gateway detected the disconnect.
  const detected = Promise.withResolvers<void>();
  beforeAttempt = async () => {
    await expect.poll(inFlight).toEqual({ exchanges: 0, answers: 1 });
    detected.resolve();
  };
  const join = vi.spyOn(SharedReply.prototype, 'follow');
  wire.cut();
  await detected.promise;
  await expect.poll(() => join.mock.calls.length, { message: 'the retry joined the reply' }).toBe(1);
  join.mockRestore();
  open();
  expect((await answer).text).toBe('one two');
  expect(gateway.provider.calls.length - callsBefore).toBe(1);
  const [first, retry] = await recentRequests(2);
  expect((await answer).id).toBe(`chatcmpl-${first?.id}`);
  expect(first).toMatchObject({ clientGone: true, status: 200, promptTokens: 5 });
  expect(first?.notes).toContain(`a retry joined it: ${retry?.id}`);
  expect(retry).toMatchObject({
    replayOf: first?.id,
    cost: 0n,
    promptTokens: undefined,
    attemptCount: 0,
    model: 'other',
  });
  expect(await chargedFor(first?.id ?? '', retry?.id ?? '')).toEqual([{ reference: first?.id }]);
});

test('a complete answer that never arrived is replayed, and charged once', async () => {
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'one' }), ...rest]));
  const before = await listRequests(gateway.gateway.store, { limit: 100 });
  const received = gateway.provider.call('other', callsBefore).received.then(() => wire.freeze());
  const answer = textOf('never arrived');
  await received;
  await expect
    .poll(async () => (await listRequests(gateway.gateway.store, { limit: 100 })).length)
    .toBe(before.length + 1);
  wire.thaw();
  wire.cut();
  expect((await answer).text).toBe('one two');
  expect(gateway.provider.calls.length - callsBefore).toBe(1);
  const [first, retry] = (await recentRequests(before.length + 2)).slice(-2);
  expect(retry).toMatchObject({ replayOf: first?.id, cost: 0n });
  expect(await chargedFor(first?.id ?? '', retry?.id ?? '')).toEqual([{ reference: first?.id }]);
});

test('a request without an Idempotency-Key ends with its connection, and its retry is generated again', async () => {
  const hangs = sse([endings.hang]);
  const answers = sse([chunk({ role: 'assistant', content: 'fresh' }), ...rest]);
  gateway.provider.respond('other', ...Array.from({ length: callsBefore + 1 }, () => hangs), answers);
  const answer = textOf('nameless');
  await gateway.provider.call('other', callsBefore).received;
  wire.cut();
  await gateway.provider.call('other', callsBefore).aborted;
  expect((await answer).text).toBe('fresh two');
  expect(gateway.provider.calls.length - callsBefore).toBe(2);
});
