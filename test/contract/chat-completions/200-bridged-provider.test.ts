import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, sse } from '../../fakes/fake-provider.ts';
import { joined, model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

const word = (text: string) => ({
  type: 'content-delta',
  index: 0,
  delta: { message: { content: { type: 'text', text } } },
});
const usage = { tokens: { input_tokens: 12, output_tokens: 2 }, cached_tokens: 5 };
const end = { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'cloud', kind: 'cohere', base_url: provider.url, api_key: 'cohere-key' },
    ],
    models: [
      ...(base['models'] as object[]),
      model('bridged', { routes: [{ upstream: 'cloud', model: 'command' }] }),
      model('either', {
        routes: [
          { upstream: 'cloud', model: 'down' },
          { upstream: 'fake', model: 'plain', priority: 1 },
        ],
      }),
    ],
  }));
});
afterAll(() => gateway.stop());

test('an answer of a provider with its own protocol has the usual stream shape', async () => {
  gateway.provider.respond('command', sse([word('Hello'), word(' there'), end]));
  const reply = await gateway.chat({ model: 'bridged' });
  expect(reply.status).toBe(200);
  expect(joined(reply)).toBe('Hello there');
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(reply.chunks.at(-2)?.choices).toMatchObject([{ finish_reason: 'stop' }]);
  expect(reply.chunks.at(-1)?.usage).toMatchObject({
    prompt_tokens: 12,
    completion_tokens: 2,
    prompt_tokens_details: { cached_tokens: 5 },
  });
});

test('a request that the protocol cannot express is rejected with the name of the field', async () => {
  for (const [field, value] of Object.entries({ n: 2, logprobs: true, functions: [{ name: 'f' }] })) {
    const reply = await gateway.chat({ model: 'bridged', [field]: value });
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatchObject({ type: 'gateway_error', code: 'invalid_request' });
    expect(reply.json.error.message).toContain(field);
  }
});

test('a failed call fails over to the next route', async () => {
  gateway.provider.respond('down', json(500, { message: 'broken' }));
  const reply = await gateway.chat({ model: 'either' });
  expect([reply.status, joined(reply)]).toEqual([200, 'Hello there, friend']);
});
