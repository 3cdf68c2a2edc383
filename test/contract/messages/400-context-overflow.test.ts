import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectEnvelope } from '../../expectations.ts';
import { json, sse } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => {
    const [upstream] = base['upstreams'] as [object];
    return {
      ...base,
      upstreams: [
        upstream,
        { ...upstream, name: 'native', kind: 'anthropic', base_url: provider.url.replace('/v1', '') },
        { name: 'cloud', kind: 'cohere', base_url: provider.url, api_key: 'cohere-key' },
      ],
      models: [
        model('chat-provider', { context_window: 4096 }),
        model('messages-provider', { routes: [{ upstream: 'native' }] }),
        model('cohere-provider', { routes: [{ upstream: 'cloud' }] }),
      ],
    };
  });
});
afterAll(() => gateway.stop());

/** The replies of the surfaces to a prompt that the provider rejects. */
async function send(name: string) {
  const messages = [{ role: 'user', content: 'Hello, this is the beginning of a very long detail.' }];
  const headers = { 'x-api-key': gateway.key };
  const request = { model: name, max_tokens: 10, messages };
  return {
    chat: await gateway.chat(request),
    unstreamed: await gateway.post('/anthropic/v1/messages', request, headers),
    streamed: await gateway.post('/anthropic/v1/messages', { ...request, stream: true }, headers),
  };
}

type Replies = Awaited<ReturnType<typeof send>>;

function expectOverflow({ chat, unstreamed, streamed }: Replies, words: string | RegExp): void {
  expectEnvelope(chat, { status: 400, code: 'context_length_exceeded', type: 'upstream_error' });
  expect(chat.json.error).toMatchObject({ param: '', message: expect.stringContaining('try again later') });
  for (const reply of [unstreamed, streamed]) {
    expect(reply.status).toBe(400);
    expect(reply.headers.get('x-should-retry')).toBe('false');
    expect(reply.json.error).toMatchObject({ type: 'upstream_error', code: 'context_length_exceeded' });
    const { message } = reply.json.error;
    if (typeof words === 'string') expect(message.startsWith(words)).toBe(true);
    else expect(message).toMatch(words);
    expect(message).toContain('(request id: ');
  }
}

const native = { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' };

describe('a prompt above the context window', () => {
  test.each<[string, object, string]>([
    ['messages-provider', { type: 'error', error: native }, 'prompt is too long: 210000 tokens > 200000 maximum. '],
    [
      'chat-provider',
      { error: { message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens." } },
      'prompt is too long: 9000 tokens > 8192 maximum. ',
    ],
    [
      'cohere-provider',
      { message: 'too many tokens: total number of tokens cannot exceed 4081 - received 5000.' },
      'prompt is too long: 5000 tokens > 4081 maximum. ',
    ],
  ])('is rejected by %s with its code, and with the token counts of the provider', async (name, refusal, words) => {
    gateway.provider.respond(name, json(400, refusal));
    expectOverflow(await send(name), words);
  });

  test('is rejected with the figures of the catalog if the provider gives none', async () => {
    gateway.provider.respond('chat-provider', json(400, { error: { code: 'context_length_exceeded', message: 'no' } }));
    expectOverflow(await send('chat-provider'), 'prompt is too long: 4097 tokens > 4096 maximum. ');
    gateway.provider.respond('messages-provider', json(413, { error: { message: 'Prompt is too long' } }));
    expectOverflow(await send('messages-provider'), /^prompt is too long: \d+ tokens\. /);
  });

  test('is rejected in the same way if the provider reports it inside its stream', async () => {
    const event = `event: error\ndata: ${JSON.stringify({ type: 'error', error: native })}\n\n`;
    gateway.provider.respond('messages-provider', sse([{ raw: event }]));
    expectOverflow(await send('messages-provider'), 'prompt is too long: 210000 tokens > 200000 maximum. ');
    gateway.provider.respond('chat-provider', sse([{ error: { code: 400, message: native.message } }]));
    expectOverflow(await send('chat-provider'), 'prompt is too long: 210000 tokens > 200000 maximum. ');
  });

  test('is not retried', async () => {
    gateway.provider.respond('chat-provider', json(400, { error: { message: native.message } }));
    const before = gateway.provider.calls.length;
    await gateway.chat({ model: 'chat-provider' });
    expect(gateway.provider.calls.length).toBe(before + 1);
  });

  test('is rejected with the same words if the gateway itself finds that it is too long', async () => {
    const messages = [{ role: 'user', content: 'long'.repeat(20_000) }];
    const request = { model: 'chat-provider', max_tokens: 10, messages };
    const { status, json: body } = await gateway.post('/anthropic/v1/messages', request, { 'x-api-key': gateway.key });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.message).toMatch(/^prompt is too long: \d+ tokens > 4096 maximum; /);
  });
});
