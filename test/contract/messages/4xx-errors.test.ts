import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../fakes/fake-provider.ts';
import { model, type GatewayReply, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [...(base['models'] as object[]), model('chat-only', { surfaces: ['openai'] })],
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'poor', package: 'standard', credit: '0.000000001' },
    ],
  }));
});
afterAll(() => gateway.stop());

const path = '/anthropic/v1/messages';
const body = { model: 'plain', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };
const send = (more: object, headers: Record<string, string> = { 'x-api-key': gateway.key }) =>
  gateway.post(path, { ...body, ...more }, { authorization: '', ...headers });

function expectError(reply: GatewayReply, status: number, code: string, type: string): void {
  const id = reply.headers.get('x-gateway-request-id');
  expect([reply.status, reply.headers.get('request-id')]).toEqual([status, id]);
  expect(reply.json).toEqual({
    type: 'error',
    error: expect.objectContaining({ type, code, message: expect.stringContaining(`(request id: ${id})`) }),
    request_id: id,
  });
  expect(reply.headers.get('x-should-retry')).toBe(status < 500 ? 'false' : null);
}

test('only x-api-key is accepted: 401 for no key, an unknown key, and a bearer token', async () => {
  for (const headers of [{}, { 'x-api-key': 'stranger' }, { authorization: `Bearer ${gateway.key}` }]) {
    expectError(await send({}, headers as Record<string, string>), 401, 'invalid_api_key', 'authentication_error');
  }
});

test('client libraries that send a bearer token are recognised by their header', async () => {
  const library = { authorization: `Bearer ${gateway.key}`, 'x-stainless-lang': 'js' };
  expect((await send({}, library)).status).toBe(200);
  expectError(await send({}, { ...library, 'x-api-key': 'stranger' }), 401, 'invalid_api_key', 'authentication_error');
});

test('an unknown model and one that is not on this surface get the same 403', async () => {
  for (const name of ['absent', 'chat-only']) {
    expectError(await send({ model: name }), 403, 'access_denied', 'gateway_error');
  }
});

test.each<[string, object]>([
  ['max_tokens is required', { max_tokens: undefined }],
  ['messages must hold at least one message', { messages: [] }],
  ['messages[0].role must be one of', { messages: [{ role: 'tool', content: 'x' }] }],
  ['temperature must be', { temperature: 1.5 }],
  ['stop_sequences', { stop_sequences: 'END' }],
])('an invalid field is a 400 that names it: %s', async (sentence, more) => {
  const reply = await send(more);
  expectError(reply, 400, 'invalid_request', 'gateway_error');
  expect(reply.json.error.message).toContain(sentence);
});

test('a field that the provider’s format cannot express is a 400 that names it', async () => {
  const reply = await send({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] });
  expectError(reply, 400, 'invalid_request', 'gateway_error');
  expect(reply.json.error.message).toContain('tools[0]');
});

test('a body that is not JSON is a 400 with an empty code', async () => {
  const reply = await gateway.postText(path, '{"model":', { 'x-api-key': gateway.key });
  expectError(reply, 400, '', 'gateway_error');
});

test('an account without balance gets a 402', async () => {
  const key = await gateway.newKey({ account: 'poor' });
  expectError(await send({}, { 'x-api-key': key }), 402, 'insufficient_balance', 'gateway_error');
});

test('unknown paths and methods get the same envelope', async () => {
  const own = { 'x-api-key': gateway.key };
  expectError(await gateway.get('/anthropic/v1/nothing', own), 404, 'not_found', 'gateway_error');
  expectError(await gateway.get(path, own), 405, 'method_not_allowed', 'gateway_error');
});

test('a rejection by the provider is a 400, and a failure of the provider is a 502', async () => {
  gateway.provider.respond('other', json(422, { error: { code: 'odd_field', message: 'no' } }));
  expectError(await send({ model: 'other' }), 400, 'odd_field', 'upstream_error');
  gateway.provider.respond('other', json(401, { error: { code: 'invalid_api_key', message: 'your key' } }));
  expectError(await send({ model: 'other' }), 502, 'upstream_failed', 'upstream_error');
});

test('a conversation stored at the provider is rejected with the error code that client libraries handle', async () => {
  const reply = await send({ thread: { type: 'create' } });
  expectError(reply, 400, 'invalid_request', 'gateway_error');
  expect(reply.json.error.details).toEqual({ error_code: 'thread_unsupported_request', unsupported: ['thread'] });
});
