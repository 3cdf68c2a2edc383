import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { answer } from '../../fakes/fake-provider.ts';
import { answerInResponses } from '../../translation/in-responses.ts';
import { responsesReply } from '../../translation/scripted-replies.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      {
        name: 'quirky',
        kind: 'openai',
        base_url: provider.url,
        quirks: {
          thinking_style: 'enable_thinking',
          max_tokens_field: 'max_completion_tokens',
          user_field: 'user',
          usage_option: false,
        },
      },
      { name: 'declared', kind: 'openai', base_url: provider.url, quirks: { thinking_style: 'both' } },
      { name: 'answers', kind: 'openai', base_url: provider.url, quirks: { responses: 'only' } },
      {
        name: 'worded',
        kind: 'openai',
        base_url: provider.url,
        quirks: { thinking_style: 'reasoning_effort', effort_max: 'xhigh', user_field: 'none' },
      },
    ],
    models: [
      ...(base['models'] as object[]),
      model('declared', { thinking: true, routes: [{ upstream: 'declared' }] }),
      model('answers', { thinking: true, routes: [{ upstream: 'answers' }] }),
      model('quirky', { thinking: true, routes: [{ upstream: 'quirky' }] }),
      model('worded', { thinking: true, routes: [{ upstream: 'worded' }] }),
      model('renamed', { routes: [{ upstream: 'fake', model: 'their-name' }] }),
    ],
  }));
});
afterAll(() => gateway.stop());
beforeEach(() => {
  for (const name of ['plain', 'thinker', 'declared', 'quirky', 'worded', 'their-name'])
    gateway.provider.respond(name, answer('ok'));
  gateway.provider.respond(
    'answers',
    responsesReply(answerInResponses({ message: { content: 'ok' }, finish_reason: 'stop' }).items, {
      status: 'completed',
    }),
  );
});

/** Sends a request and returns the body that the provider gets. */
async function sentUp(
  body: Record<string, unknown>,
  headers?: Record<string, string>,
): Promise<Record<string, unknown>> {
  const reply = await gateway.chat(body, headers);
  expect(reply.status, reply.text).toBe(200);
  return { ...gateway.provider.calls.at(-1)?.body };
}

test('a request without options is sent unchanged, as a stream with usage', async () => {
  expect(await sentUp({})).toEqual({
    model: 'plain',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    stream_options: { include_usage: true },
  });
});

test('the provider gets its own name of the model', async () => {
  expect(await sentUp({ model: 'renamed' })).toMatchObject({ model: 'their-name' });
});

test('unlisted fields are sent unchanged and in the client’s order', async () => {
  const unlisted = { seed: 7, zebra: { b: [1, { c: null }], a: 'x' }, api_base: 'http://evil.example', apple: 1 };
  const body = await sentUp({ temperature: 0.5, ...unlisted, top_p: 0.9 });
  expect(body).toMatchObject({ temperature: 0.5, ...unlisted, top_p: 0.9 });
  const order = Object.keys(body).filter((name) => name !== 'stream' && name !== 'stream_options');
  expect(order).toEqual(['model', 'messages', 'temperature', 'seed', 'zebra', 'api_base', 'apple', 'top_p']);
});

test('the penalties are accepted and not sent', async () => {
  const body = await sentUp({ frequency_penalty: 1, presence_penalty: { odd: true } });
  expect(body).not.toHaveProperty('frequency_penalty');
  expect(body).not.toHaveProperty('presence_penalty');
});

test('prefix and reasoning_content of an assistant message are forwarded', async () => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'He', prefix: true, reasoning_content: 'hm' },
  ];
  expect(await sentUp({ messages })).toMatchObject({ messages });
});

test('of two equal keys, the last is authorised and sent', async () => {
  const text = '{"model":"nope","model":"plain","messages":[{"role":"user","content":"x"}]}';
  const reply = await gateway.postText('/v1/chat/completions', text);
  expect(reply.status).toBe(200);
  expect(gateway.provider.calls.at(-1)?.text.match(/"model"/g)).toHaveLength(1);
});

test('a __proto__ key changes no prototype', async () => {
  const text =
    '{"model":"plain","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"messages":[{"role":"user","content":"x"}]}';
  const reply = await gateway.postText('/v1/chat/completions', text);
  expect(reply.status).toBe(200);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test.each([
  ['low', 'high'],
  ['medium', 'high'],
  ['high', 'high'],
  ['max', 'max'],
  ['xhigh', 'max'],
])('reasoning_effort %s is sent as %s', async (effort, sent) => {
  expect(await sentUp({ model: 'thinker', reasoning_effort: effort })).toMatchObject({ reasoning_effort: sent });
});

test('a request to a reasoning model enables thinking with high effort by default', async () => {
  const enabled = { thinking: { type: 'enabled' }, reasoning_effort: 'high' };
  expect(await sentUp({ model: 'declared' })).toMatchObject(enabled);
});

test('an upstream without a thinking style gets no thinking fields that the client did not send', async () => {
  const agent = { 'user-agent': 'QwenCode/0.2.0 (linux; x64)' };
  for (const [body, headers] of [[{}], [{}, agent], [{ thinking: { type: 'enabled' } }]] as const) {
    const { thinking, reasoning_effort } = await sentUp({ model: 'thinker', ...body }, headers);
    expect({ thinking, reasoning_effort }).toEqual(body);
  }
  expect(
    (await sentUp({ model: 'answers', messages: [{ role: 'user', content: 'hello' }] }))['reasoning'],
  ).toBeUndefined();
});

test.each(['opencode/1.18.33 ai-sdk/provider-utils', 'QwenCode/0.2.0 (linux; x64)', 'RooCode/3.30.0'])(
  'the default effort of %s, a coding agent, is the highest',
  async (userAgent) => {
    const agent = { 'user-agent': userAgent };
    expect(await sentUp({ model: 'declared' }, agent)).toMatchObject({ reasoning_effort: 'max' });
    expect(await sentUp({ model: 'declared', reasoning_effort: 'low' }, agent)).toMatchObject({
      reasoning_effort: 'high',
    });
  },
);

test('a request to a model without reasoning has no thinking fields', async () => {
  const body = await sentUp({});
  expect(body).not.toHaveProperty('thinking');
  expect(body).not.toHaveProperty('reasoning_effort');
});

test('thinking can be switched off', async () => {
  expect(await sentUp({ model: 'thinker', thinking: { type: 'disabled' } })).toMatchObject({
    thinking: { type: 'disabled' },
  });
});

test('a provider’s quirks are respected', async () => {
  const body = await sentUp({ model: 'quirky', max_tokens: 5, user_id: 'u-1', thinking: { type: 'disabled' } });
  expect(body).toMatchObject({ enable_thinking: false, max_completion_tokens: 5, user: 'u-1' });
  for (const name of ['thinking', 'reasoning_effort', 'max_tokens', 'user_id', 'stream_options'])
    expect(body).not.toHaveProperty(name);
});

test('a provider’s own effort values are used', async () => {
  const body = await sentUp({ model: 'worded', reasoning_effort: 'max', user_id: 'u-1' });
  expect(body).toMatchObject({ reasoning_effort: 'xhigh' });
  for (const name of ['thinking', 'user', 'user_id']) expect(body).not.toHaveProperty(name);
});

test('max_tokens is lowered to the model’s cap', async () => {
  expect(await sentUp({ max_tokens: 1_000_000 })).toMatchObject({ max_tokens: 4096 });
  expect(await sentUp({ max_tokens: 10 })).toMatchObject({ max_tokens: 10 });
});

test('the provider gets its own credential and nothing of the client’s', async () => {
  await gateway.chat({}, { cookie: 'a=b', 'x-forwarded-for': '1.2.3.4', 'x-custom': 'secret' });
  const { headers } = gateway.provider.calls.at(-1)!;
  expect(headers['authorization']).toBe('Bearer sk-upstream-canary');
  for (const name of ['cookie', 'x-forwarded-for', 'x-custom']) expect(headers).not.toHaveProperty(name);
  expect(JSON.stringify(headers)).not.toContain(gateway.key);
});
