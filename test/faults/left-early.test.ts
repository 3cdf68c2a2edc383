import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { KeyId } from '../../src/money/accounts/ids.ts';
import { keys } from '../../src/money/accounts/keys.ts';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { RequestRecord } from '../../src/money/requests/request-record.ts';
import { listRequests } from '../../src/money/requests/find-requests.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat, type RunningChat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer, endings, gate, hang, json, sse } from '../fakes/fake-provider.ts';
import { makeKey } from '../keys.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

// A client that disconnects after the request was sent to the provider pays for the prompt, even before the first
// token.

let gateway: TestGateway;
/** Accepts connections and never sends a byte, so that no TLS handshake completes. */
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

/** The record of the model's latest request, once it is stored. */
function recordOf(name: string): Promise<RequestRecord> {
  return eventually(async () => {
    const [record] = await listRequests(gateway.gateway.store, { model: name, limit: 1 });
    return record ?? expect.fail('no record yet');
  });
}

async function expectWaiting(): Promise<void> {
  await eventually(() => expect(gateway.gateway.alive().waiting, 'requests that wait').toBe(1));
}

async function disconnect(request: RunningChat): Promise<void> {
  request.leave();
  await request.over;
}

/** In nano-units, at a price of 1 per million tokens. */
const perToken = 1000n;

test('a client that disconnects pays for the prompt tokens that the provider has reported', async () => {
  const usage = { input_tokens: 450, output_tokens: 1 };
  const start = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage } };
  gateway.provider.respond(
    'telling',
    sse([{ raw: `event: message_start\ndata: ${JSON.stringify(start)}\n\n` }, endings.hang]),
  );
  const request = chat({ ...gateway, model: 'telling' });
  // The checkpoint shows that the gateway has read the event.
  await eventually(async () => {
    const [checkpoint] = await gateway.gateway.store.db.selectFrom('open_charges').select('cost').execute();
    expect(BigInt(checkpoint?.cost ?? 0), 'the cost in the checkpoint').toBe(450n * perToken);
  });
  await disconnect(request);
  const record = await recordOf('telling');
  expect(record).toMatchObject({ status: 499, clientGone: true, promptTokens: 450, completionTokens: 0 });
  expect([record.cost, record.usageSource]).toEqual([450n * perToken, 'counted']);
  const detail = await requestDetail(gateway.gateway.store, record.id);
  expect(detail?.explanation).toContain('prompt');
});

test('if the provider has reported no usage, the gateway counts the prompt and marks the record', async () => {
  gateway.provider.respond('other', hang());
  const messages = [{ role: 'user', content: 'a word '.repeat(100) }];
  const request = chat({ ...gateway, model: 'other', body: { messages } });
  await gateway.provider.call('other').received;
  await disconnect(request);
  const record = await recordOf('other');
  expect(record.usageSource).toBe('counted');
  expect(record.promptTokens).toBeGreaterThan(100);
  expect(record.cost).toBe(BigInt(record.promptTokens ?? 0) * perToken);
});

test('the record of an unstreamed request whose client disconnects has status 499 and no error', async () => {
  gateway.provider.respond('telling', hang());
  const body = JSON.stringify({ model: 'telling', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] });
  const leaving = new AbortController();
  const before = gateway.provider.calls.length;
  const request = fetch(`${gateway.url}/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body,
    signal: leaving.signal,
  }).catch(() => undefined);
  await eventually(() => expect(gateway.provider.calls.length, 'calls of the provider').toBe(before + 1));
  leaving.abort();
  await request;
  await eventually(async () =>
    expect(await recordOf('telling')).toMatchObject({ surface: '/anthropic/v1/messages', status: 499 }),
  );
  expect((await recordOf('telling')).errorCase).toBeUndefined();
});

test('a request aborted because its key is revoked is charged for its prompt', async () => {
  gateway.provider.respond('plain', hang());
  const { secret, id } = await makeKey(gateway.gateway, { account: 'tester', name: 'cut', models: undefined });
  const request = chat({ ...gateway, key: secret, model: 'plain' });
  await gateway.provider.call('plain').received;
  await keys(gateway.gateway.store, systemClock).revoke(id as KeyId, { terminateStreams: true });
  expect(await request.over).toMatchObject({ error: { code: 'invalid_api_key' } });
  expect((await recordOf('plain')).cost).toBeGreaterThan(0n);
});

test('a call that the provider refused costs nothing, and neither does the wait for a retry', async () => {
  gateway.provider.respond('thinker', json(429, {}, { 'retry-after': '60' }));
  const request = chat({ ...gateway, model: 'thinker' });
  // When the request waits for a retry, the gateway has read the refusal.
  await expectWaiting();
  await disconnect(request);
  expect(await recordOf('thinker')).toMatchObject({ clientGone: true, cost: undefined });
});

test('a request that was never sent costs nothing: no connection was established', async () => {
  const request = chat({ ...gateway, model: 'unreached' });
  await eventually(() => expect(silentSockets.size, 'connections that are never established').toBe(1));
  await disconnect(request);
  expect((await recordOf('unreached')).cost ?? 0n).toBe(0n);
});

test('a request that was never sent costs nothing: it waited for a slot', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('narrow', sse([opened, endings.cut]), answer('later'));
  const first = chat({ ...gateway, model: 'narrow' });
  await gateway.provider.call('narrow').received;
  const second = chat({ ...gateway, model: 'narrow' });
  await expectWaiting();
  await disconnect(second);
  expect((await recordOf('narrow')).cost ?? 0n).toBe(0n);
  open();
  await first.over;
});
