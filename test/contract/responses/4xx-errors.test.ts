import { afterAll, beforeAll, expect, test } from 'vitest';
import { json } from '../../fakes/fake-provider.ts';
import { model, type GatewayReply, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [
      ...(base['models'] as object[]),
      model('chat-only', { surfaces: ['openai'] }),
      model('tiny', { context_window: 10 }),
    ],
  }));
});
afterAll(() => gateway.stop());

const send = (more: object, headers: Record<string, string> = {}) =>
  gateway.post('/v1/responses', { model: 'plain', input: 'hello', stream: true, ...more }, headers);

function expectError(reply: GatewayReply, status: number, code: string, words: string): void {
  const id = reply.headers.get('x-gateway-request-id');
  expect([reply.status, reply.json.error.code]).toEqual([status, code]);
  expect(reply.json.error.message).toContain(words);
  expect(reply.json.error.message).toContain(`(request id: ${id})`);
}

test('only a bearer token is accepted as a key', async () => {
  for (const headers of [
    { authorization: '' },
    { authorization: 'Bearer stranger' },
    { authorization: '', 'x-api-key': gateway.key },
  ]) {
    expectError(await send({}, headers as Record<string, string>), 401, 'invalid_api_key', '');
  }
});

test('a model that is unknown or not on this surface is a 403', async () => {
  for (const name of ['absent', 'chat-only']) expectError(await send({ model: name }), 403, 'access_denied', '');
});

test.each<[string, object]>([
  ['model is required', { model: undefined }],
  ['conversation names a conversation that is not stored here', { conversation: 'conv_1' }],
  ['background must not be true with store: false', { background: true, store: false }],
  ['tool_choice forces computer', { tool_choice: { type: 'computer' } }],
])('an invalid field is a 400 that names it: %s', async (sentence, more) => {
  expectError(await send(more), 400, 'invalid_request', sentence);
});

test('a rejection by the provider before the first item keeps its status', async () => {
  gateway.provider.respond('other', json(400, { error: { code: 'bad_thing', message: 'no' } }));
  expectError(await send({ model: 'other' }), 400, 'bad_thing', '');
});

test('a prompt that is too long gets the code context_length_exceeded, for which clients compact', async () => {
  const message = "This model's maximum context length is 100 tokens. However, your messages resulted in 200 tokens.";
  gateway.provider.respond('other', json(400, { error: { code: 'context_length_exceeded', message } }));
  expectError(await send({ model: 'other' }), 400, 'context_length_exceeded', '');
  const long = await send({ model: 'tiny', input: 'word '.repeat(100) });
  expectError(long, 400, 'context_length_exceeded', 'the context window of tiny is 10 tokens');
});
