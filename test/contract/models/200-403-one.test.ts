import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelSchema } from '../../../src/serving/surfaces/openapi/schemas.ts';
import { expectEnvelope, expectGatewayHeaders } from '../../expectations.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [
      model('acme-large-2026-06-01', { aliases: ['acme-large', 'acme/large'], owned_by: 'acme' }),
      model('org/team/small', { context_window: 100_000, max_output_tokens: 4096, thinking: true }),
      model('messages-only', { surfaces: ['anthropic'] }),
      model('chat-only', { surfaces: ['openai'] }),
    ],
    packages: [
      { name: 'standard', models: ['*'] },
      { name: 'basic', models: ['acme-*'] },
    ],
    accounts: [
      { name: 'tester', package: 'standard' },
      { name: 'thrifty', package: 'basic' },
    ],
  }));
});
afterAll(() => gateway.stop());

/** The key in the header of the messages surface. */
const own = () => ({ authorization: '', 'x-api-key': gateway.key });

test.each([
  ['acme-large-2026-06-01', 'acme-large-2026-06-01'],
  ['acme-large', 'acme-large-2026-06-01'],
  ['acme/large', 'acme-large-2026-06-01'],
  ['acme%2Flarge', 'acme-large-2026-06-01'],
  ['org/team/small', 'org/team/small'],
  ['org%2Fteam%2Fsmall', 'org/team/small'],
  ['messages-only', 'messages-only'],
])('%s is found, and equals its entry of the list', async (name, id) => {
  const reply = await gateway.get(`/v1/models/${name}`);
  expectGatewayHeaders(reply);
  expect(reply.status).toBe(200);
  expect(modelSchema.safeParse(reply.json).error).toBeUndefined();
  const list = await gateway.get('/v1/models');
  expect(reply.json).toEqual(list.json.data.find((each: { id: string }) => each.id === id));
});

test('an unknown model and one that the key may not use get the same 403', async () => {
  const authorization = `Bearer ${await gateway.newKey({ account: 'thrifty' })}`;
  for (const name of ['absent', 'org/team/small', 'a'.repeat(400)]) {
    expectEnvelope(await gateway.get(`/v1/models/${name}`, { authorization }), {
      status: 403,
      code: 'access_denied',
      type: 'gateway_error',
    });
  }
  expect((await gateway.get('/v1/models/acme-large', { authorization })).status).toBe(200);
});

test('the key is checked before the model: 401 for no key, and for a key in the other surface’s header', async () => {
  for (const headers of [{ authorization: '' }, own()]) {
    expectEnvelope(await gateway.get('/v1/models/absent', headers), {
      status: 401,
      code: 'invalid_api_key',
      type: 'authentication_error',
    });
  }
});

test('POST to a model is a 405', async () => {
  const reply = await gateway.post('/v1/models/acme-large', {});
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test.each(['org/team/small', 'org%2Fteam%2Fsmall'])('the messages surface finds %s too', async (name) => {
  const reply = await gateway.get(`/anthropic/v1/models/${name}`, own());
  expect(reply.status).toBe(200);
  expect(reply.json).toMatchObject({ type: 'model', id: 'org/team/small' });
});

test('on the messages surface a model of the chat surface is a 403', async () => {
  const reply = await gateway.get('/anthropic/v1/models/chat-only', own());
  expect([reply.status, reply.json.type, reply.json.error.code]).toEqual([403, 'error', 'access_denied']);
});
