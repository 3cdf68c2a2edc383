import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { eventually } from '../eventually.ts';
import { answer, type ScriptedReply } from '../fakes/fake-provider.ts';
import { joined, model, type TestGateway } from '../gateways/gateway.ts';
import { messagesReply } from './scripted-replies.ts';
import { startTranslatingGateway } from './translating-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTranslatingGateway({
    sites: [{ name: 'main', domains: ['*'], models: ['*'] }],
    models: providers.flatMap((name) => [
      model(name, { routes: [{ upstream: name }], thinking: true }),
      ...['refuse', 'drop'].map((untranslatable) =>
        model(`${name}-${untranslatable}`, { routes: [{ upstream: name, model: name }], untranslatable }),
      ),
    ]),
  });
  for (const name of providers) gateway.provider.respond(name, replies[name]);
});
afterAll(() => gateway.stop());

const providers = ['chat', 'messages'] as const;
type Provider = (typeof providers)[number];

const replies: Readonly<Record<Provider, ScriptedReply>> = {
  chat: answer('Hi'),
  messages: messagesReply({ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', stop_sequence: null }),
};

// biome-ignore lint: the body that a provider gets is untyped; each test asserts its shape.
type Sent = any;

/** Sends a chat request, and returns the body that the provider gets. */
async function chat(provider: Provider, body: Record<string, unknown>): Promise<Sent> {
  return (await chatReply(provider, body)).sent;
}

async function chatReply(provider: Provider, body: Record<string, unknown>): Promise<{ sent: Sent; id: string }> {
  const reply = await gateway.chat({ model: provider, ...body });
  expect([reply.status, joined(reply)], reply.text).toEqual([200, 'Hi']);
  return { sent: gateway.provider.calls.at(-1)?.body, id: reply.headers.get('x-gateway-request-id') ?? '' };
}

async function message(provider: Provider, body: Record<string, unknown>): Promise<Sent> {
  const request = { model: provider, max_tokens: 5000, messages: [{ role: 'user', content: 'hello' }], ...body };
  const reply = await gateway.post(
    '/anthropic/v1/messages',
    { ...request, stream: true },
    { 'x-api-key': gateway.key },
  );
  expect(reply.status, reply.text).toBe(200);
  expect(reply.text).toContain('message_stop');
  return gateway.provider.calls.at(-1)?.body;
}

const hello = { role: 'user', content: 'hello' };
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];

describe('unusual messages of real clients', () => {
  test.each(providers)('tool calls without content, and an empty result, are accepted for %s', async (provider) => {
    const called = { role: 'assistant', tool_calls: [call] };
    const result = { role: 'tool', tool_call_id: 'call_1', content: null };
    const { messages } = await chat(provider, { tools, messages: [hello, called, result] });
    expect(messages).toHaveLength(3);
    if (provider === 'chat') expect(messages.slice(1)).toMatchObject([{ content: null }, { content: '' }]);
  });

  test.each(providers)('a system prompt without other messages is accepted for %s', async (provider) => {
    for (const role of ['system', 'developer']) {
      const { messages, system } = await chat(provider, { messages: [{ role, content: 'Tell a joke.' }] });
      expect(JSON.stringify([messages, system])).toContain('Tell a joke.');
      expect(messages).toHaveLength(1);
      if (provider !== 'chat') expect(messages[0].role).toBe('user');
    }
    const { messages } = await message(provider, { messages: [{ role: 'system', content: 'Tell a joke.' }] });
    expect(messages).toHaveLength(1);
  });

  test.each(providers)('an empty user message is accepted for %s', async (provider) => {
    for (const content of ['', ' ', [], [{ type: 'text', text: '' }]]) {
      const { messages } = await chat(provider, { messages: [{ role: 'user', content }] });
      expect(messages).toHaveLength(1);
      if (provider !== 'chat') expect(JSON.stringify(messages)).toContain('(no content)');
    }
    const history = [hello, { role: 'assistant', content: 'Hi' }, { role: 'user', content: '' }];
    expect((await chat(provider, { messages: history })).messages.at(-1).role).toBe('user');
    expect(
      (await chat(provider, { messages: [{ role: 'user', content: '' }, ...history.slice(1, 2), hello] })).messages,
    ).toHaveLength(3);
    expect((await message(provider, { messages: [{ role: 'user', content: '' }] })).messages).toHaveLength(1);
  });
});

describe('the reasoning effort', () => {
  const off: Readonly<Record<Provider, object>> = {
    chat: { thinking: { type: 'disabled' } },
    messages: { thinking: { type: 'disabled' } },
  };
  const on: Readonly<Record<Provider, object>> = {
    chat: { thinking: { type: 'enabled' } },
    messages: { thinking: { type: 'enabled' } },
  };

  test.each(providers)('none disables reasoning for %s', async (provider) => {
    for (const fields of [
      { reasoning_effort: 'none' },
      { reasoning: { effort: 'none' } },
      { reasoning: { enabled: false } },
    ]) {
      const sent = await chat(provider, fields);
      expect(sent).toMatchObject(off[provider]);
      expect(sent.reasoning_effort).toBeUndefined();
    }
  });

  test.each(providers)('is read from every field that clients use for it, for %s', async (provider) => {
    for (const fields of [
      { reasoning_effort: 'minimal' },
      { reasoning: { effort: 'minimal' } },
      { reasoning: { effort: 'low', summary: 'auto' } },
      { reasoning: { enabled: true } },
      { reasoning: { max_tokens: 2000, exclude: false } },
    ]) {
      const sent = await chat(provider, fields);
      expect(sent).toMatchObject(on[provider]);
      if (provider === 'chat') expect(sent.reasoning_effort).toBe('high');
    }
  });

  test('is sent as a token budget if the client names one', async () => {
    const { thinking } = await chat('messages', { reasoning: { max_tokens: 2000 } });
    expect(thinking).toEqual({ type: 'enabled', budget_tokens: 2000 });
    const most = await chat('chat', { reasoning: { effort: 'xhigh' } });
    expect(most.reasoning_effort).toBe('max');
  });

  test('is taken from the contract’s own fields if both are set', async () => {
    const sent = await chat('chat', {
      thinking: { type: 'enabled' },
      reasoning_effort: 'max',
      reasoning: { effort: 'none' },
    });
    expect(sent).toMatchObject({ thinking: { type: 'enabled' }, reasoning_effort: 'max' });
  });
});

describe('parameters of other servers', () => {
  const hints = {
    seed: 7,
    verbosity: 'low',
    min_p: 0.05,
    repetition_penalty: 1.1,
    cache_prompt: true,
    chat_template_kwargs: { enable_thinking: true },
    temperature: 1.7,
  };
  const others = ['messages'] as const;

  /** The notes in the record of a request. */
  async function notes(id: string): Promise<readonly string[]> {
    const { store } = gateway.gateway;
    const record = await eventually(async () => (await findRequest(store, id)) ?? expect.fail('no record yet'));
    return record.notes ?? [];
  }

  test.each(others)('are removed for a provider of another format, and the record has a note: %s', async (provider) => {
    const { sent, id } = await chatReply(provider, hints);
    for (const name of Object.keys(hints)) if (name !== 'temperature') expect(sent[name]).toBeUndefined();
    expect(sent.temperature).toBe(1);
    expect((await notes(id)).join('\n')).toMatch(/seed, verbosity, min_p.*\n.*temperature lowered to 1/s);
  });

  test('are sent unchanged to a provider of the same format', async () => {
    expect(await chat('chat', hints)).toMatchObject(hints);
  });

  test.each(others)(
    'are removed only if they do not change the answer, and others are rejected: %s',
    async (provider) => {
      for (const [name, value] of Object.entries({
        n: 2,
        logprobs: true,
        functions: [{ name: 'f' }],
        web_search_options: {},
      })) {
        const reply = await gateway.chat({ model: provider, ...hints, [name]: value });
        expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
        expect(reply.json.error.message).toContain(name);
      }
    },
  );

  test('are rejected with untranslatable: refuse', async () => {
    for (const provider of others) {
      const reply = await gateway.chat({ model: `${provider}-refuse`, seed: 7 });
      expect([reply.status, reply.json.error.code]).toEqual([400, 'invalid_request']);
      expect(reply.json.error.message).toContain('seed');
      expect((await gateway.chat({ model: `${provider}-refuse`, temperature: 1.7 })).status).toBe(400);
    }
  });

  test('are removed together with all untranslatable fields with untranslatable: drop', async () => {
    for (const provider of others) {
      const reply = await gateway.chat({ model: `${provider}-drop`, ...hints, n: 2, logprobs: true, functions: [] });
      expect([reply.status, joined(reply)]).toEqual([200, 'Hi']);
    }
  });
});
