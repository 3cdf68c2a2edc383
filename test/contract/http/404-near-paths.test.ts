import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEnvelope, expectGatewayHeaders } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { rawExchange } from '../../raw-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

async function errorMessage(method: string, path: string): Promise<string> {
  const reply = await rawExchange(gateway.port, `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(reply.status).toBe(404);
  expect(reply.headers['x-gateway-version']).toMatch(/^\d{8}-\d{6}$/);
  const { error } = JSON.parse(reply.body);
  expect([error.code, error.type]).toEqual(['not_found', 'gateway_error']);
  expect(error.message).toContain(`(request id: ${reply.headers['x-gateway-request-id']})`);
  return error.message;
}

test.each([
  ['POST', '/chat/completions', 'POST /v1/chat/completions'],
  ['POST', '/v1/v1/chat/completions', 'POST /v1/chat/completions'],
  ['POST', '/v1/chat/completions/', 'POST /v1/chat/completions'],
  ['POST', '//v1/chat/completions', 'POST /v1/chat/completions'],
  ['POST', '/v1//chat/completions', 'POST /v1/chat/completions'],
  ['POST', '/V1/Chat/Completions', 'POST /v1/chat/completions'],
  ['POST', '/api/v1/chat/completions', 'POST /v1/chat/completions'],
  ['POST', '/v2/chat/completions', 'POST /v1/chat/completions'],
  ['POST', '/v1/chat/completions/chat/completions', 'POST /v1/chat/completions'],
  ['POST', '/openai/deployments/plain/chat/completions?api-version=1', 'POST /v1/chat/completions'],
  ['POST', '/anthropic/v1/chat/completions', 'POST /v1/chat/completions'],
  ['POST', '/completions', 'POST /v1/completions'],
  ['GET', '/models', 'GET /v1/models'],
  ['GET', '/v1/models/', 'GET /v1/models'],
  ['GET', '/v1/v1/models', 'GET /v1/models'],
  ['GET', '/v1/v1/models/some/model', 'GET /v1/models/{model}'],
  ['GET', '/v1/models//plain', 'GET /v1/models/{model}'],
  ['GET', '/user/balance', 'GET /v1/user/balance'],
  ['POST', '/v1/messages', 'POST /anthropic/v1/messages'],
  ['POST', '/messages', 'POST /anthropic/v1/messages'],
  ['POST', '/anthropic/messages', 'POST /anthropic/v1/messages'],
  ['POST', '/anthropic/v1/v1/messages', 'POST /anthropic/v1/messages'],
  ['POST', '/anthropic/v1/messages/', 'POST /anthropic/v1/messages'],
  ['POST', '/v1/anthropic/v1/messages', 'POST /anthropic/v1/messages'],
  ['POST', '/v1/messages/count_tokens', 'POST /anthropic/v1/messages/count_tokens'],
  ['GET', '/anthropic/models', 'GET /anthropic/v1/models'],
  ['GET', '/anthropic/v1/v1/models/plain', 'GET /anthropic/v1/models/{model}'],
  ['POST', '/responses', 'POST /v1/responses'],
  ['POST', '/v1/v1/responses', 'POST /v1/responses'],
  ['POST', '/embeddings', 'POST /v1/embeddings'],
  ['POST', '/v1/v1/images/generations', 'POST /v1/images/generations'],
  ['POST', '/api/chat', 'POST /v1/chat/completions'],
  ['GET', '/api/tags', 'GET /v1/models'],
])('the error for %s %s names the right path', async (method, path, right) => {
  expect(await errorMessage(method, path)).toContain(`The endpoint is ${right}; `);
});

test.each(['/v1/assistants', '/fine_tuning/jobs', '/v1/v1/fine_tuning', '/v1', '/v1/', '/anthropic'])(
  'the error for %s, which is not supported, lists the main endpoints',
  async (path) => {
    const message = await errorMessage('POST', path);
    for (const right of ['POST /v1/chat/completions', 'GET /v1/models', 'POST /anthropic/v1/messages', '/docs/api']) {
      expect(message).toContain(right);
    }
  },
);

test.each(['/favicon.ico', '/wp-admin/setup.php', '/admin/v1/nothing', '/app2', '/v1x', '/constructor'])(
  'the error for %s has no suggestion and does not repeat the path',
  async (path) => {
    expect(await errorMessage('GET', path)).toMatch(
      /^No endpoint has this path\. The endpoints are listed at \/docs\/api\. \(/,
    );
  },
);

test('an unknown path gets a 404 before the key is checked', async () => {
  expectEnvelope(await gateway.post('/chat/completions', {}, { authorization: 'Bearer stranger' }), {
    status: 404,
    code: 'not_found',
    type: 'gateway_error',
  });
});

test('on the messages surface the error has the envelope of that format', async () => {
  const reply = await gateway.post('/anthropic/messages', {});
  expectGatewayHeaders(reply);
  expect(reply.json).toMatchObject({ type: 'error', error: { code: 'not_found' } });
});

test.each([
  'GET /v1/chat/completions/chatcmpl-1/messages',
  'POST /v1/fine_tuning/alpha/graders/x/files',
  'GET /v1/vector_stores/vs_1/files',
  'POST /v1/vector_stores/vs_1/file_batches/b/files',
  'GET /v1/containers/c_1/files',
  'POST /v1/containers/c_1/files',
  'POST /v1/beta/threads/t_1/messages',
  'GET /v1/organization/models/x',
  'POST /v1/conversations/c_1/responses',
  'GET /anthropic/v1/sessions/s_1/files',
  'GET /anthropic/v1/organizations/models',
])('a method of an SDK that this gateway lacks, %s, is not sent to another endpoint', async (request) => {
  const [method = '', path = ''] = request.split(' ');
  const reply = await fetch(gateway.url + path, { method });
  expect(reply.status).toBe(404);
  const { error } = (await reply.json()) as { error: { message: string } };
  expect(error.message).toMatch(/This gateway has no such endpoint\. It has .*\/docs\/api/);
});
