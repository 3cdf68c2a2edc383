import { afterAll, expect, test } from 'vitest';
import { chunk, endings, hang, sse } from '../fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';

let started: Promise<ServedGateway> | undefined;
afterAll(async () => (await started)?.clean());

/** One gateway for all tests; it can be started only within one. */
function serve(): Promise<ServedGateway> {
  started ??= startServedGateway({
    upstream: { max_concurrency: 1 },
    config: { log: { level: 'info' }, waiting: { hold_headers: '0s', max_wait: '1s' } },
  });
  return started;
}

const prompt = { model: 'other', messages: [{ role: 'user', content: 'hello' }], stream: true };

interface Asking {
  readonly path?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

async function ask({ path = '/v1/chat/completions', body, headers, signal }: Asking = {}) {
  const { port, key } = await serve();
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-api-key': key, ...headers },
    body: JSON.stringify({ ...prompt, ...body }),
    ...(signal && { signal }),
  });
  return { status: response.status, id: response.headers.get('x-gateway-request-id') ?? '', text: response.text() };
}

/** The line of the log about a request. */
async function lineOf(id: string): Promise<Record<string, unknown>> {
  const [line] = await (await serve()).says(new RegExp(`^\\{.*"id":"${id}".*\\}$`, 'm'));
  return JSON.parse(line);
}

test.each<[string, Asking]>([
  ['a chat', {}],
  ['a chat that may be retried', { headers: { 'x-stainless-retry-count': '0' } }],
  ['a message', { path: '/anthropic/v1/messages', body: { max_tokens: 10 } }],
])('%s whose stream ends in an error frame is logged as a failure, with its case', async (_name, asking) => {
  const { provider } = await serve();
  provider.respond('other', sse([chunk({ role: 'assistant', content: 'one two' }), endings.cut]));
  const reply = await ask(asking);
  expect([reply.status, await reply.text]).toEqual([200, expect.stringContaining('"code":"upstream_failed"')]);
  expect(await lineOf(reply.id)).toMatchObject({
    level: 'error',
    msg: 'request failed',
    status: 200,
    case: 'upstream-failed',
    cause: expect.any(String),
  });
});

test('a wait that ran out after 200 had gone out is logged as a failure, and a client that left is not', async () => {
  const { provider } = await serve();
  provider.respond('other', hang());
  const leaving = new AbortController();
  const dispatched = provider.call('other', provider.calls.length).received;
  const first = await ask({ signal: leaving.signal });
  // The only slot is taken once the provider has the first request: the second can do nothing but wait.
  await dispatched;
  const second = await ask();
  expect([second.status, await second.text]).toEqual([200, expect.stringContaining('"code":"overloaded"')]);
  expect(await lineOf(second.id)).toMatchObject({ level: 'error', status: 200, case: 'overloaded' });
  leaving.abort();
  await first.text.catch(() => undefined);
  expect(await lineOf(first.id)).toMatchObject({ level: 'info', status: 200, gone: true });
});

test('what a client did wrong is information, with its case', async () => {
  const wrong = await ask({ body: { temperature: 3 } });
  await wrong.text;
  expect(await lineOf(wrong.id)).toMatchObject({ level: 'info', status: 400, case: 'invalid-request' });
  const lost = await ask({ path: '/chat/completions' });
  await lost.text;
  expect(await lineOf(lost.id)).toMatchObject({ level: 'info', status: 404, case: 'not-found' });
});
