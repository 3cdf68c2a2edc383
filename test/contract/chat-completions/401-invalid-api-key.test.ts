import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KeyId } from '../../../src/money/accounts/ids.ts';
import { keys } from '../../../src/money/accounts/keys.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { expectEnvelope } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { makeKey } from '../../keys.ts';
import { rawExchange } from '../../raw-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const unauthorised = { status: 401, code: 'invalid_api_key', type: 'authentication_error' };
const paths = ['/v1/chat/completions', '/v1/completions'] as const;

const wrong: readonly (readonly [label: string, headers: (key: string) => Record<string, string>])[] = [
  ['an empty bearer', () => ({ authorization: 'Bearer' })],
  ['a bearer of spaces', () => ({ authorization: 'Bearer    ' })],
  ['another scheme', (key) => ({ authorization: `Basic ${key}` })],
  ['a token scheme', (key) => ({ authorization: `Token ${key}` })],
  ['a key without scheme', (key) => ({ authorization: key })],
  [
    'a key with a wrong checksum',
    (key) => ({ authorization: `Bearer ${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}` }),
  ],
  ['a key of another shape', () => ({ authorization: 'Bearer sk-abcdef' })],
  ['a key of 8 KB', () => ({ authorization: `Bearer ${'x'.repeat(8000)}` })],
  ['SQL', () => ({ authorization: "Bearer ' OR '1'='1" })],
  ['the other surface’s header', (key) => ({ authorization: '', 'x-api-key': key })],
];

test.each(wrong)('%s is not a key', async (_label, headers) => {
  for (const path of paths) {
    const reply = await gateway.post(path, {}, headers(gateway.key));
    expectEnvelope(reply, unauthorised);
  }
  const list = await gateway.get('/v1/models', headers(gateway.key));
  expectEnvelope(list, unauthorised);
});

test('a key in the query or the body is not a key', async () => {
  const reply = await gateway.post(
    `/v1/chat/completions?api_key=${gateway.key}`,
    { api_key: gateway.key },
    { authorization: '' },
  );
  expectEnvelope(reply, unauthorised);
});

test('the key is checked before the body', async () => {
  const reply = await gateway.postText('/v1/chat/completions', '{ not json', {
    authorization: 'Bearer x',
    'content-type': 'text/plain',
  });
  expectEnvelope(reply, unauthorised);
});

test('two Authorization headers are rejected', async () => {
  const head = `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close\r\n\r\n`;
  const reply = await rawExchange(gateway.port, head);
  expect(reply.status).toBe(401);
});

test('a revoked key stops working', async () => {
  const { secret, id } = await makeKey(gateway.gateway, { account: 'tester', name: 'short-lived' });
  const headers = { authorization: `Bearer ${secret}` };
  expect((await gateway.get('/v1/models', headers)).status).toBe(200);
  await keys(gateway.gateway.store, systemClock).revoke(id as KeyId);
  await expect.poll(async () => (await gateway.get('/v1/models', headers)).status).toBe(401);
});
