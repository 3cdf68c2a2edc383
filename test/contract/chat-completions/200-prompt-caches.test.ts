import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hourMs, hourOf } from '../../../src/core/time/calendar-day.ts';
import { savingsSeries } from '../../../src/money/requests/rollups/cache-savings.ts';
import { answer, type ScriptedReply } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { chatReply, messagesReply, responsesReply } from '../../translation/scripted-replies.ts';

const text = 'yes';
const output = [
  { type: 'message', id: 'm', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text }] },
];
const replies: Readonly<Record<string, ScriptedReply>> = {
  key: chatReply({ message: { role: 'assistant', content: text }, finish_reason: 'stop' }),
  header: answer(text),
  unhinted: answer(text),
  messages: messagesReply({ content: [{ type: 'text', text }], stop_reason: 'end_turn', stop_sequence: null }),
  responses: responsesReply(output, { status: 'completed' }),
};
const price = { input: '10', cached_input: '1', cache_write_5m: '12.5', cache_write_1h: '20', output: '0' };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => {
    const [upstream] = base['upstreams'] as [object];
    return {
      ...base,
      accounts: ['tester', 'key', 'messages', 'responses'].map((name) => ({
        name,
        package: 'standard',
        credit: '100',
      })),
      upstreams: [
        { ...upstream, name: 'key', quirks: { cache_affinity: 'prompt_cache_key' } },
        { ...upstream, name: 'header', quirks: { cache_affinity: 'x-session-affinity' } },
        { ...upstream, name: 'unhinted' },
        { ...upstream, name: 'messages', kind: 'anthropic', base_url: provider.url },
        { ...upstream, name: 'responses', quirks: { responses: 'only', cache_affinity: 'prompt_cache_key' } },
      ],
      models: Object.keys(replies).flatMap((name) => [
        model(name, { routes: [{ upstream: name }], cache: 'auto', price }),
        model(`${name}-off`, { routes: [{ upstream: name, model: name }], price }),
      ]),
    };
  });
  for (const [name, reply] of Object.entries(replies)) gateway.provider.respond(name, reply);
});
afterAll(() => gateway.stop());

const system = { role: 'system', content: 'You answer as you were told at length. '.repeat(150) };
const first = { role: 'user', content: 'first' };
const turns = [system, first, { role: 'assistant', content: 'yes?' }, { role: 'user', content: 'second' }];

async function sentUp(body: Record<string, unknown>, path = '/v1/chat/completions') {
  const reply = await gateway.post(path, { max_tokens: 9, stream: true, ...body }, { 'x-api-key': gateway.key });
  expect(reply.status, reply.text).toBe(200);
  const { body: sent = {}, headers } = gateway.provider.calls.at(-1)!;
  return { sent, headers };
}

/** The cache key that the provider gets, from the body or the header. */
async function cacheKeyIn(body: Record<string, unknown>, path?: string): Promise<unknown> {
  const { sent, headers } = await sentUp(body, path);
  return sent['prompt_cache_key'] ?? headers['x-session-affinity'];
}

describe.each(['key', 'header', 'responses'])('a provider with cache affinity (%s)', (name) => {
  test('gets the same cache key for every turn of a conversation, another key for another one, and none if it is off', async () => {
    const cacheKey = await cacheKeyIn({ model: name, messages: [system, first] });
    expect(cacheKey).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await cacheKeyIn({ model: name, messages: turns })).toBe(cacheKey);
    expect(await cacheKeyIn({ model: name, messages: [system, { role: 'user', content: 'other' }] })).not.toBe(
      cacheKey,
    );
    expect(await cacheKeyIn({ model: `${name}-off`, messages: turns })).toBeUndefined();
    expect(await cacheKeyIn({ model: name, messages: [first] })).toBeUndefined();
  });
});

test('the client’s own cache key is kept', async () => {
  const own = { messages: turns, prompt_cache_key: 'mine' };
  expect(await cacheKeyIn({ model: 'key', ...own })).toBe('mine');
  const input = turns.slice(1);
  const request = { model: 'responses', instructions: system.content, input, max_tokens: undefined };
  expect(await cacheKeyIn({ ...request, prompt_cache_key: 'mine' }, '/v1/responses')).toBe('mine');
  expect(await cacheKeyIn(request, '/v1/responses')).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test('a body differs only in the cache key', async () => {
  const sent = async (name: string) => (await sentUp({ model: name, messages: turns })).sent;
  const { prompt_cache_key: _, ...others } = await sent('key');
  expect(others).toEqual(await sent('key-off'));
  expect(await sent('unhinted')).toEqual(await sent('unhinted-off'));
});

describe('a provider of the messages format', () => {
  const mark = { cache_control: { type: 'ephemeral' } };

  test('gets cache markers for a chat client', async () => {
    const { sent } = await sentUp({ model: 'messages', messages: turns });
    expect(sent['system']).toEqual([{ type: 'text', text: system.content, ...mark }]);
    expect(sent['messages']).toMatchObject([{ content: [mark] }, { content: [{ text: 'yes?' }] }, { content: [mark] }]);
    const { sent: off } = await sentUp({ model: 'messages-off', messages: turns });
    expect(JSON.stringify(off)).not.toContain('cache_control');
  });

  test('gets cache markers in the body of a messages client, which is otherwise unchanged', async () => {
    const path = '/anthropic/v1/messages';
    const own = { model: 'messages', system: system.content, messages: turns.slice(1) };
    const { sent } = await sentUp(own, path);
    expect(sent['system']).toEqual([{ type: 'text', text: system.content, ...mark }]);
    expect(sent['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'first', ...mark }] },
      turns[2],
      { role: 'user', content: [{ type: 'text', text: 'second', ...mark }] },
    ]);
    const marked = { ...own, messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...mark }] }] };
    expect((await sentUp(marked, path)).sent).toEqual({ max_tokens: 9, stream: true, ...marked });
  });
});

test.each(['key', 'messages', 'responses'])('the cache savings of a provider of %s are summed', async (name) => {
  const { store } = gateway.gateway;
  const authorization = `Bearer ${await gateway.newKey({ account: name })}`;
  const account = await store.db.selectFrom('accounts').select('id').where('name', '=', name).executeTakeFirstOrThrow();
  const from = hourOf(Date.now());
  const intervalMs = 2 * hourMs;
  const saved = async () =>
    (await savingsSeries(store, { accountId: account.id, from, to: from + intervalMs, intervalMs })).get(from);
  const send = (modelName: string) =>
    gateway.chat({ model: modelName, messages: turns, max_tokens: 9 }, { authorization });
  await send(name);
  // 40 tokens are read at a tenth of the input price, and 10 are written at a quarter above it.
  const once = 40n * 9_000n - 10n * 2_500n;
  await expect.poll(saved, { message: 'the savings of the first request' }).toBe(once);
  await send(`${name}-off`);
  await expect.poll(saved, { message: 'the savings of both requests' }).toBe(2n * once);
});
