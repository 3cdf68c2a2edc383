import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { chunk, finish, json, sse, usage } from '../fakes/fake-provider.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../fast-path/warm-fast-path.ts';
import { type GatewayReply, model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

const writes = { cache_write_5m: '3', cache_write_30m: '5', cache_write_1h: '7', cache_write_12h: '11' };
const perWrite = { '5m': 3000n, '30m': 5000n, '1h': 7000n, '12h': 11_000n };
const price = { input: '1', output: '2', ...writes };

let gateway: TestGateway;
beforeAll(async () => {
  watchedFastPath();
  gateway = await startTestGateway((base, provider) => {
    const upstream = (name: string, more: object) => ({
      name,
      kind: 'openai',
      api_key: 'sk-upstream-canary',
      timeouts: patientTimeouts,
      ...more,
    });
    return {
      ...base,
      upstreams: [
        ...(base['upstreams'] as object[]),
        upstream('native', { base_url: provider.url, quirks: { responses: true } }),
        upstream('anthropic', { kind: 'anthropic', base_url: provider.url.replace('/v1', '') }),
      ],
      models: [
        model('plain', { price }),
        model('speaker', { price, routes: [{ upstream: 'native' }] }),
        model('claude', { price, routes: [{ upstream: 'anthropic' }] }),
      ],
    };
  });
});
afterAll(() => gateway.stop());

/** 100 tokens in, of which 10 are written, and 10 out. */
const costOf = (written: bigint) => 90n * 1000n + written + 10n * 2000n;

async function detailOf(reply: GatewayReply) {
  expect(reply.status, reply.text).toBe(200);
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  const detail = () => requestDetail(gateway.gateway.store, id);
  await expect.poll(async () => (await detail())?.state, { message: 'the state of the request' }).toBe('recorded');
  return (await detail())!;
}

const chatAnswer = (details: object) =>
  sse([chunk({ content: 'ok' }), finish('stop'), usage(100, 10, { prompt_tokens_details: details }), '[DONE]']);

describe('chat completions on the fast path', () => {
  test.each<[string, object, keyof typeof perWrite]>([
    ['no lifetime', {}, '30m'],
    ['12 hours', { prompt_cache_options: { ttl: '12h' } }, '12h'],
    ['an unknown lifetime', { prompt_cache_options: { ttl: '3d' } }, '12h'],
  ])('writes without a split of a request for %s', async (_, asked, kind) => {
    await warmFastPath(gateway, 'plain');
    gateway.provider.respond('plain', chatAnswer({ cache_write_tokens: 10 }));
    const reply = await gateway.chat({ model: 'plain', ...asked });
    expect(isInFastPath()).toBe(true);
    const { cost, costLines, record } = await detailOf(reply);
    expect(cost).toBe(costOf(10n * perWrite[kind]));
    expect(costLines.map((line) => [line.kind, line.tokens])).toContainEqual([`cache_write_${kind}`, 10n]);
    const [short, long] = kind === '30m' ? [10, 0] : [0, 10];
    expect([record?.cacheWrite5mTokens ?? 0, record?.cacheWrite1hTokens ?? 0]).toEqual([short, long]);
    expect(reply.chunks.at(-1)!.usage).toMatchObject({
      upstream_cache_creation_5_m_tokens: short,
      upstream_cache_creation_1_h_tokens: long,
    });
  });

  test('a lifetime inside of a part, with a split', async () => {
    const split = { ttl_30m_tokens: 4, ttl_12h_tokens: 6 };
    gateway.provider.respond('plain', chatAnswer({ cache_write_tokens: 10, cache_write_tokens_details: split }));
    const part = { type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } };
    const reply = await gateway.chat({ model: 'plain', messages: [{ role: 'user', content: [part] }] });
    expect((await detailOf(reply)).cost).toBe(costOf(4n * 5000n + 6n * 11_000n));
  });
});

test('responses are charged by the split, and the client gets it', async () => {
  const input_tokens_details = {
    cached_tokens: 0,
    cache_write_tokens: 10,
    cache_write_tokens_details: { ttl_30m_tokens: 1, ttl_12h_tokens: 9 },
  };
  const counts = { input_tokens: 100, input_tokens_details, output_tokens: 10, total_tokens: 110 };
  const details = { output_tokens_details: { reasoning_tokens: 0 } };
  const body = { id: 'r', object: 'response', status: 'completed', model: 'speaker', output: [] };
  gateway.provider.respond('speaker', json(200, { ...body, usage: { ...counts, ...details } }));
  const reply = await gateway.post('/v1/responses', { model: 'speaker', input: 'hi' });
  expect((await detailOf(reply)).cost).toBe(costOf(1n * 5000n + 9n * 11_000n));
  expect(reply.json.usage.input_tokens_details).toEqual(input_tokens_details);
});

test.each<[string, object, keyof typeof perWrite]>([
  ['no lifetime', {}, '5m'],
  ['one hour', { ttl: '1h' }, '1h'],
])('messages without a split for %s', async (_, ttl, kind) => {
  const counts = { input_tokens: 90, cache_creation_input_tokens: 10, output_tokens: 10 };
  const content = [{ type: 'text', text: 'ok' }];
  const body = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content, stop_reason: 'end_turn' };
  gateway.provider.respond('claude', json(200, { ...body, stop_sequence: null, usage: counts }));
  const part = { type: 'text', text: 'hi', cache_control: { type: 'ephemeral', ...ttl } };
  const messages = [{ role: 'user', content: [part] }];
  const reply = await gateway.post(
    '/anthropic/v1/messages',
    { model: 'claude', max_tokens: 20, messages },
    { 'x-api-key': gateway.key },
  );
  expect((await detailOf(reply)).cost).toBe(costOf(10n * perWrite[kind]));
  expect(reply.json.usage).toMatchObject(counts);
});
