import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import type { KeyId } from '../../../src/money/accounts/ids.ts';
import { keys } from '../../../src/money/accounts/keys.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { findRequest } from '../../../src/money/requests/find-requests.ts';
import { openStore, type Store } from '../../../src/platform/store/store.ts';
import { chunk, finish, gate, hang, sse, usage } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { makeKey } from '../../keys.ts';

/** The store as another process opens it: a command, or another replica. */
let otherStore: Store;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    upstreams: (base['upstreams'] as object[]).map((upstream) => ({
      ...upstream,
      max_concurrency: 3,
    })),
    sites: [{ name: 'main', domains: ['*'], models: ['*'], honour_stream_false: true }],
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'other', package: 'standard', credit: '100.00' },
    ],
  }));
  otherStore = await openStore({ data: join(gateway.directory, 'data') });
});
afterAll(async () => {
  await otherStore.close();
  await gateway.stop();
});

let key: { id: string; secret: string };
beforeEach(async () => {
  key = await makeKey(gateway.gateway, { account: 'other', name: 'cut' });
});
afterEach(async () => {
  await expect.poll(() => gateway.gateway.inFlight()).toEqual({ exchanges: 0, answers: 0 });
});

const revokedError = { code: 'invalid_api_key', type: 'authentication_error' };
const firstChunk = chunk({ role: 'assistant', content: 'one' });

function send(secret: string, body: Record<string, unknown> = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'other', stream: true, messages: [{ role: 'user', content: 'x' }], ...body }),
  });
}

/** A stream that stays open after its first chunk until the test lets it end. */
function openStream() {
  const { opened, open } = gate();
  gateway.provider.respond(
    'other',
    sse([firstChunk, opened, chunk({ content: ' two' }), finish('stop'), usage(3, 2), '[DONE]']),
  );
  return open;
}

test('revoking a key with `terminateStreams` ends its running answers in an error frame, and not those of other keys', async () => {
  const release = openStream();
  const [terminated, running] = [await send(key.secret), await send(gateway.key)];
  expect([terminated.status, running.status]).toEqual([200, 200]);
  await keys(otherStore, systemClock).revoke(key.id as KeyId, { terminateStreams: true });
  const frames = (await terminated.text()).trim().split('\n\n');
  const last = JSON.parse(frames.at(-1)!.slice('data: '.length));
  const id = terminated.headers.get('x-gateway-request-id')!;
  expect(last).toEqual({ error: { ...revokedError, message: expect.stringContaining(`(request id: ${id})`) } });
  expect(frames.join()).not.toContain('[DONE]');
  release();
  expect(await running.text()).toContain('data: [DONE]');
  expect((await send(key.secret)).status).toBe(401);
  await expect
    .poll(() => findRequest(gateway.gateway.store, id))
    .toMatchObject({ status: 200, errorCase: 'key-revoked', clientGone: false });
});

test('without `terminateStreams` running answers finish, and only the next request is refused', async () => {
  const release = openStream();
  const running = await send(key.secret);
  await keys(otherStore, systemClock).revoke(key.id as KeyId);
  const headers = { authorization: `Bearer ${key.secret}` };
  await expect.poll(async () => (await gateway.get('/v1/models', headers)).status).toBe(401);
  release();
  expect(await running.text()).toContain('data: [DONE]');
});

test('a request terminated before its answer starts gets a 401, in the queue and at the provider', async () => {
  gateway.provider.respond('other', hang());
  const waiting = [send(key.secret), send(key.secret), send(key.secret), send(key.secret, { stream: false })];
  await expect.poll(() => gateway.gateway.inFlight()).toEqual({ exchanges: 4, answers: 2 });
  await keys(otherStore, systemClock).revoke(key.id as KeyId, { terminateStreams: true });
  for (const response of await Promise.all(waiting)) {
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: revokedError });
  }
});

test('suspending an account with `terminateStreams` ends the running answers of all its keys', async () => {
  const release = openStream();
  const second = await makeKey(gateway.gateway, { account: 'other', name: 'second' });
  const running = await Promise.all([send(key.secret), send(second.secret)]);
  const book = accounts(otherStore, systemClock);
  const { id } = (await book.find('other'))!;
  await book.suspend(id, { terminateStreams: true });
  const message = expect.stringContaining('The account was suspended during the request.');
  for (const response of running) {
    const last = (await response.text()).trim().split('\n\n').at(-1)!;
    expect(JSON.parse(last.slice('data: '.length))).toEqual({ error: { ...revokedError, message } });
  }
  const requestId = running[0].headers.get('x-gateway-request-id')!;
  await expect
    .poll(() => findRequest(gateway.gateway.store, requestId))
    .toMatchObject({ status: 200, errorCase: 'suspended-midway' });
  release();
  await book.resume(id);
});
