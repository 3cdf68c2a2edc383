import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../../at-rest.ts';
import { expectEnvelope } from '../../expectations.ts';
import { endings, json, sse } from '../../fakes/fake-provider.ts';
import type { TestGateway } from '../../gateways/gateway.ts';
import { body, startPassThroughGateway } from './pass-through-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startPassThroughGateway();
});
afterAll(() => gateway.stop());

const invalid = { status: 400, code: 'invalid_request', type: 'gateway_error' };

test.each([
  ['/v1/embeddings', { model: 'embed' }, 'input'],
  ['/v1/embeddings', { model: 'embed', input: '' }, 'input'],
  ['/v1/embeddings', { model: 'embed', input: [] }, 'input'],
  ['/v1/embeddings', { model: 'embed', input: Array(2049).fill('x') }, 'input'],
  ['/v1/embeddings', { model: 'embed', input: 'x', encoding_format: 'hex' }, 'encoding_format'],
  ['/v1/rerank', { model: 'ranker', documents: ['x'] }, 'query'],
  ['/v1/rerank', { model: 'ranker', query: 'x', documents: [] }, 'documents'],
  ['/v1/moderations', { model: 'judge' }, 'input'],
  ['/v1/images/generations', { model: 'paint', prompt: 'x', n: 0 }, 'n '],
  ['/v1/audio/speech', { model: 'voice' }, 'input'],
  ['/v1/audio/speech', { input: 'x' }, 'model'],
])('%s rejects a body and names the invalid field: %j', async (path, request, field) => {
  const reply = await gateway.post(path, request);
  expectEnvelope(reply, invalid);
  expect(reply.json.error.message).toContain(field);
});

test('a request needs a valid key, an allowed model and enough balance', async () => {
  const request = { model: 'embed', input: 'x' };
  const stranger = await gateway.post('/v1/embeddings', request, { authorization: 'Bearer stranger' });
  expectEnvelope(stranger, { status: 401, code: 'invalid_api_key', type: 'authentication_error' });
  const unknown = await gateway.post('/v1/embeddings', { ...request, model: 'nope' });
  expectEnvelope(unknown, { status: 403, code: 'access_denied', type: 'gateway_error' });
  const expensive = await gateway.post('/v1/images/generations', { model: 'dear', prompt: 'x' });
  expectEnvelope(expensive, { status: 402, code: 'insufficient_balance', type: 'gateway_error' });
});

const unparseable = { status: 400, code: '', type: 'gateway_error' };
const form = (parts: string) => `--b\r\n${parts}\r\n--b--\r\n`;
const disposition = (name: string, more = '') => `content-disposition: form-data; name="${name}"${more}\r\n\r\n`;

test.each([
  ['JSON', 'application/json', '{}', unparseable, 'multipart/form-data'],
  ['no boundary', 'multipart/form-data', 'x', unparseable, 'boundary'],
  ['no parts', 'multipart/form-data; boundary=b', 'x', unparseable, 'malformed'],
  ['an open end', 'multipart/form-data; boundary=b', `--b\r\n${disposition('model')}ears`, unparseable, 'malformed'],
  ['a part without a name', 'multipart/form-data; boundary=b', form('x: y\r\n\r\nears'), unparseable, 'no name'],
  ['no model', 'multipart/form-data; boundary=b', form(`${disposition('file', '; filename="a"')}x`), invalid, 'model'],
  ['no file', 'multipart/form-data; boundary=b', form(`${disposition('model')}ears`), invalid, 'file'],
  [
    'two models',
    'multipart/form-data; boundary=b',
    form(`${disposition('model')}ears\r\n--b\r\n${disposition('model')}x`),
    invalid,
    'once',
  ],
  [
    'too many parts',
    'multipart/form-data; boundary=b',
    form(
      Array(65)
        .fill(`${disposition('x')}y`)
        .join('\r\n--b\r\n'),
    ),
    unparseable,
    '64',
  ],
])('an invalid form is rejected: %s', async (_label, type, text, expected, words) => {
  const reply = await gateway.postText('/v1/audio/transcriptions', text, { 'content-type': type });
  expectEnvelope(reply, expected);
  expect(reply.json.error.message).toContain(words);
});

test.each([
  ['a page', body('text/html', '<h1>hello</h1>')],
  ['half of its JSON', body('application/json', '{"data": [')],
  ['something else', json(200, { ok: true })],
  ['a stream', sse(['[DONE]'])],
  ['nothing before it hangs up', sse([endings.reset])],
])('a reply of the provider with %s is a failure, and nothing is charged', async (_label, reply) => {
  gateway.provider.respond('embed', reply);
  const answer = await gateway.post('/v1/embeddings', { model: 'embed', input: 'x' });
  expect(answer.status).toBe(502);
  expect(answer.json.error.type).toBe('upstream_error');
  await expectAtRest(gateway.gateway);
});

test('a rejection by the provider has the provider’s code and not its message', async () => {
  gateway.provider.respond('embed', json(400, { error: { code: 'too_many_dimensions', message: 'secret words' } }));
  const reply = await gateway.post('/v1/embeddings', { model: 'embed', input: 'x', dimensions: 9 });
  expectEnvelope(reply, { status: 400, code: 'too_many_dimensions', type: 'upstream_error' });
  expect(reply.text).not.toContain('secret words');
});

test('an HTML page instead of speech is a failure', async () => {
  gateway.provider.respond('voice', body('text/html', '<h1>hello</h1>'));
  expect((await gateway.post('/v1/audio/speech', { model: 'voice', input: 'x' })).status).toBe(502);
});

test('the gateway aborts the call of a client that leaves, and charges the text it sent', async () => {
  gateway.provider.respond('voice', () => new Promise(() => {}));
  const before = gateway.provider.calls.filter(({ key }) => key === 'voice').length;
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  const requestBody = JSON.stringify({ model: 'voice', input: 'four' });
  const replying = fetch(`${gateway.url}/v1/audio/speech`, {
    method: 'POST',
    headers,
    body: requestBody,
    signal: leaving.signal,
  });
  const call = gateway.provider.call('voice', before);
  await call.received;
  leaving.abort();
  await expect(replying).rejects.toThrow();
  await call.aborted;
  await expectAtRest(gateway.gateway);
  const left = () =>
    gateway.gateway.store.db.selectFrom('requests').selectAll().where('status', '=', 499).executeTakeFirst();
  await expect.poll(left).toMatchObject({ surface: '/v1/audio/speech', client_gone: 1 });
  expect(Number((await left())!.cost)).toBe(4 * 15_000);
});
