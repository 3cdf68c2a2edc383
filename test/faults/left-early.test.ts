import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { KeyId } from '../../src/accounts/ids.ts';
import { keys } from '../../src/accounts/keys.ts';
import { requestDetail } from '../../src/admin/request-detail.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { RequestRecord } from '../../src/requests/request-record.ts';
import { listRequests } from '../../src/requests/find-requests.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat, type RunningChat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer, endings, gate, hang, json, sse } from '../fake-provider.ts';
import { makeKey } from '../keys.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../gateway.ts';

// Whoever leaves after the provider was asked pays for what was asked of it, also before the first word of the answer.

let gateway: TestGateway;
/** Takes connections and never says a word, so that no TLS connection to it ever stands. */
let silent: Server;
const silentSockets = new Set<Socket>();
beforeAll(async () => {
  silent = createServer((socket) => silentSockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const more = { api_key: 'sk-upstream-canary', timeouts: patientTimeouts };
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'messages', kind: 'anthropic', base_url: provider.url, ...more },
      { name: 'silent', kind: 'openai', base_url: `https://127.0.0.1:${port}/v1`, ...more },
      { name: 'narrow', kind: 'openai', base_url: provider.url, ...more, max_concurrency: 1 },
    ],
    models: [
      ...(base['models'] as object[]),
      model('telling', { routes: [{ upstream: 'messages' }] }),
      model('unreached', { routes: [{ upstream: 'silent' }] }),
      model('narrow', { routes: [{ upstream: 'narrow' }] }),
    ],
  }));
});
afterAll(async () => {
  await gateway.stop();
  for (const socket of silentSockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});
afterEach(() => expectAtRest(gateway.gateway));

/** The record of the only request of the model, once it is there. */
function recordOf(name: string): Promise<RequestRecord> {
  return eventually(async () => {
    const [record] = await listRequests(gateway.gateway.store, { model: name, limit: 1 });
    return record ?? expect.fail('no record yet');
  });
}

async function eventuallyWaiting(): Promise<void> {
  await eventually(() => expect(gateway.gateway.alive().waiting, 'requests that wait').toBe(1));
}

async function left(asked: RunningChat): Promise<void> {
  asked.leave();
  await asked.over;
}

/** In nano-units, at 1 a million. */
const perToken = 1000n;

test('what the provider has said of the prompt by then is charged', async () => {
  const usage = { input_tokens: 450, output_tokens: 1 };
  const start = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage } };
  gateway.provider.respond(
    'telling',
    sse([{ raw: `event: message_start\ndata: ${JSON.stringify(start)}\n\n` }, endings.hang]),
  );
  const asked = chat({ ...gateway, model: 'telling' });
  // What a crash would be charged tells that the gateway has heard it.
  await eventually(async () => {
    const [noted] = await gateway.gateway.store.db.selectFrom('open_charges').select('cost').execute();
    expect(BigInt(noted?.cost ?? 0), 'what a crash would be charged').toBe(450n * perToken);
  });
  await left(asked);
  const record = await recordOf('telling');
  expect(record).toMatchObject({ status: 499, clientGone: true, promptTokens: 450, completionTokens: 0 });
  expect([record.cost, record.usageSource]).toEqual([450n * perToken, 'counted']);
  const detail = await requestDetail(gateway.gateway.store, record.id);
  expect(detail?.explanation).toContain('prompt');
});

test('where it has said nothing, the prompt is counted and flagged', async () => {
  gateway.provider.respond('other', hang());
  const messages = [{ role: 'user', content: 'a word '.repeat(100) }];
  const asked = chat({ ...gateway, model: 'other', body: { messages } });
  await gateway.provider.call('other').received;
  await left(asked);
  const record = await recordOf('other');
  expect(record.usageSource).toBe('counted');
  expect(record.promptTokens).toBeGreaterThan(100);
  expect(record.cost).toBe(BigInt(record.promptTokens ?? 0) * perToken);
});

test('of a client that wanted one body and left, the record says that it left and no more', async () => {
  gateway.provider.respond('telling', hang());
  const body = JSON.stringify({ model: 'telling', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] });
  const leaving = new AbortController();
  const before = gateway.provider.calls.length;
  const asked = fetch(`${gateway.url}/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body,
    signal: leaving.signal,
  }).catch(() => undefined);
  await eventually(() => expect(gateway.provider.calls.length, 'calls of the provider').toBe(before + 1));
  leaving.abort();
  await asked;
  await eventually(async () =>
    expect(await recordOf('telling')).toMatchObject({ surface: '/anthropic/v1/messages', status: 499 }),
  );
  expect((await recordOf('telling')).errorCase).toBeUndefined();
});

test('a key that is cut off while a provider is at work pays for the prompt like one whose client leaves', async () => {
  gateway.provider.respond('plain', hang());
  const { secret, id } = await makeKey(gateway.gateway, { account: 'tester', name: 'cut', models: undefined });
  const asked = chat({ ...gateway, key: secret, model: 'plain' });
  await gateway.provider.call('plain').received;
  await keys(gateway.gateway.store, systemClock).revoke(id as KeyId, { terminateStreams: true });
  expect(await asked.over).toMatchObject({ error: { code: 'invalid_api_key' } });
  expect((await recordOf('plain')).cost).toBeGreaterThan(0n);
});

test('a provider that failed first costs nothing, and neither does waiting after it', async () => {
  gateway.provider.respond('thinker', json(429, {}, { 'retry-after': '60' }));
  const asked = chat({ ...gateway, model: 'thinker' });
  // The gateway has read the refusal when the request waits for another try.
  await eventuallyWaiting();
  await left(asked);
  expect(await recordOf('thinker')).toMatchObject({ clientGone: true, cost: undefined });
});

test('a request that was never sent costs nothing: no connection stood', async () => {
  const asked = chat({ ...gateway, model: 'unreached' });
  await eventually(() => expect(silentSockets.size, 'connections that never stand').toBe(1));
  await left(asked);
  expect((await recordOf('unreached')).cost ?? 0n).toBe(0n);
});

test('a request that was never sent costs nothing: it waited for its turn', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('narrow', sse([opened, endings.cut]), answer('later'));
  const first = chat({ ...gateway, model: 'narrow' });
  await gateway.provider.call('narrow').received;
  const second = chat({ ...gateway, model: 'narrow' });
  await eventuallyWaiting();
  await left(second);
  expect((await recordOf('narrow')).cost ?? 0n).toBe(0n);
  open();
  await first.over;
});
