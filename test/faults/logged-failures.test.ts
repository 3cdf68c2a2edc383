import { afterAll, expect, test } from 'vitest';
import { chunk, endings, hang, sse } from '../fakes/fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';

let started: Promise<ServedGateway> | undefined;
afterAll(async () => (await started)?.clean());

/** One gateway for all tests. It can only be started inside a test. */
function serve(): Promise<ServedGateway> {
  started ??= startServedGateway({
    upstream: { max_concurrency: 1 },
    config: { log: { level: 'info' }, waiting: { hold_headers: '0s', max_wait: '1s' } },
  });
  return started;
}

const prompt = { model: 'other', messages: [{ role: 'user', content: 'hello' }], stream: true };

interface RequestOptions {
  readonly path?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

async function send({ path = '/v1/chat/completions', body, headers, signal }: RequestOptions = {}) {
  const { port, key } = await serve();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-api-key': key, ...headers },
    body: JSON.stringify({ ...prompt, ...body }),
    ...(signal && { signal }),
  });
  return { status: response.status, id: response.headers.get('x-gateway-request-id') ?? '', text: response.text() };
}

/** The log line of a request. */
async function lineOf(id: string): Promise<Record<string, unknown>> {
  const [line] = await (await serve()).waitForOutput(new RegExp(`^\\{.*"id":"${id}".*\\}$`, 'm'));
  return JSON.parse(line);
}

test.each<[string, RequestOptions]>([
  ['a chat', {}],
  ['a chat that may be retried', { headers: { 'x-stainless-retry-count': '0' } }],
  ['a message', { path: '/anthropic/v1/messages', body: { max_tokens: 10 } }],
])('%s whose stream ends in an error frame is logged as a failure, with its case', async (_name, request) => {
  const { provider } = await serve();
  provider.respond('other', sse([chunk({ role: 'assistant', content: 'one two' }), endings.cut]));
  const reply = await send(request);
  expect([reply.status, await reply.text]).toEqual([200, expect.stringContaining('"code":"upstream_failed"')]);
  expect(await lineOf(reply.id)).toMatchObject({
    level: 'error',
    msg: 'request failed',
    status: 200,
    case: 'upstream-failed',
    cause: expect.any(String),
  });
});

test('a queue timeout after status 200 was sent is logged as a failure, and a disconnected client is not', async () => {
  const { provider } = await serve();
  provider.respond('other', hang());
  const leaving = new AbortController();
  const dispatched = provider.call('other', provider.calls.length).received;
  const first = await send({ signal: leaving.signal });
  // Once the provider has the first request, the only slot is taken and the second request must wait.
  await dispatched;
  const second = await send();
  expect([second.status, await second.text]).toEqual([200, expect.stringContaining('"code":"overloaded"')]);
  expect(await lineOf(second.id)).toMatchObject({ level: 'error', status: 200, case: 'overloaded' });
  leaving.abort();
  await first.text.catch(() => undefined);
  expect(await lineOf(first.id)).toMatchObject({ level: 'info', status: 200, gone: true });
});

test('a client error is logged at level info, with its case', async () => {
  const wrong = await send({ body: { temperature: 3 } });
  await wrong.text;
  expect(await lineOf(wrong.id)).toMatchObject({ level: 'info', status: 400, case: 'invalid-request' });
  const lost = await send({ path: '/chat/completions' });
  await lost.text;
  expect(await lineOf(lost.id)).toMatchObject({ level: 'info', status: 404, case: 'not-found' });
});
