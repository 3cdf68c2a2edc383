import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectEnvelope, expectGatewayHeaders } from '../../expectations.ts';
import { answer, sse } from '../../fakes/fake-provider.ts';
import { framesOf, model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'legacy', kind: 'openai', base_url: provider.url, quirks: { completions: true, suffix: true } },
    ],
    models: [...(base['models'] as object[]), model('legacy', { routes: [{ upstream: 'legacy' }] })],
  }));
});
afterAll(() => gateway.stop());

const piece = (text: string, finish_reason: string | null = null) => ({
  id: 'cmpl-x',
  object: 'text_completion',
  choices: [{ text, index: 0, logprobs: null, finish_reason }],
});
beforeEach(() => {
  const used = { choices: [], usage: { prompt_tokens: 4, completion_tokens: 2 } };
  gateway.provider.respond('legacy', sse([piece('once'), piece(' more', 'stop'), used, '[DONE]']));
  gateway.provider.respond('plain', answer('Hello there'));
});

async function complete(body: Record<string, unknown>) {
  return framesOf(await gateway.post('/v1/completions', { model: 'legacy', prompt: 'Say it', ...body }));
}

test.each([['legacy'], ['plain']])('a completion of %s has the legacy shape and the usual end', async (name) => {
  const reply = await complete({ model: name, stream: false });
  expectGatewayHeaders(reply);
  expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const last = reply.chunks.at(-1);
  expect(reply.chunks.every((chunk) => chunk.object === 'text_completion' && chunk.model === name)).toBe(true);
  expect(reply.chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  expect(last).toMatchObject({ choices: [], usage: { completion_tokens: 2, output_tokens: 0 } });
  const choices = reply.chunks.flatMap((chunk) => chunk.choices);
  expect(choices.map((choice) => choice.text).join('')).toBe(name === 'legacy' ? 'once more' : 'Hello there');
  expect(choices.map((choice) => choice.finish_reason).filter(Boolean)).toEqual(['stop']);
  expect(reply.frames.at(-1)).toBe('[DONE]');
});

test('a provider with a completions endpoint gets the prompt and the suffix there', async () => {
  await complete({ prompt: 'def f(', suffix: 'return 1', max_tokens: 9, seed: 3 });
  const call = gateway.provider.calls.at(-1)!;
  expect(call.path).toBe('/v1/completions');
  expect(call.body).toMatchObject({
    model: 'legacy',
    prompt: 'def f(',
    suffix: 'return 1',
    max_tokens: 9,
    seed: 3,
    stream: true,
  });
});

test('a provider without a completions endpoint gets one user message', async () => {
  await complete({ model: 'plain', prompt: 'Say it', temperature: 0.2 });
  const call = gateway.provider.calls.at(-1)!;
  expect(call.path).toBe('/v1/chat/completions');
  expect(call.body).toMatchObject({ messages: [{ role: 'user', content: 'Say it' }], temperature: 0.2 });
  expect(call.body).not.toHaveProperty('prompt');
});

test('a suffix is rejected if no provider supports it', async () => {
  const reply = await complete({ model: 'plain', suffix: 'x' });
  expect(reply.status).toBe(400);
  expect(reply.json.error).toMatchObject({ type: 'upstream_error', param: '' });
});

test.each([
  ['no prompt', { prompt: undefined }, 'prompt'],
  ['prompt an object', { prompt: {} }, 'prompt'],
  ['ten thousand prompts', { prompt: Array.from({ length: 10_000 }, () => 'x') }, 'prompt'],
  ['negative max_tokens', { max_tokens: -1 }, 'max_tokens'],
  ['temperature 3', { temperature: 3 }, 'temperature'],
  ['17 stops', { stop: Array.from({ length: 17 }, () => 's') }, 'stop'],
])('%s is rejected, and the error names the field', async (_label, fields, names) => {
  const reply = await complete(fields);
  expectEnvelope(reply, { status: 400, code: 'invalid_request', type: 'gateway_error' });
  expect(reply.json.error.message).toContain(names);
});
