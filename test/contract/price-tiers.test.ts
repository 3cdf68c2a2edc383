import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { weekdays } from 'chat-formats/price.ts';
import { chunk, finish, json, sse } from '../fakes/fake-provider.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../fast-path/warm-fast-path.ts';
import { model, patientTimeouts, type GatewayReply, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

const price = {
  input: '1',
  output: '2',
  units: { request: '0.001' },
  tiers: [
    { when: { prompt_over: 1000 }, input: '3', output: '4' },
    { when: { service_tier: 'priority' }, factor: '2.5' },
    { when: { service_tier: 'flex' }, factor: '0.5' },
    { when: { speed: 'fast' }, factor: '6' },
    { when: { region: 'us' }, factor: '1.1' },
  ],
};

/** The day so many days from now: tests end within a day. */
const dayIn = (more: number) => weekdays[(new Date().getUTCDay() + 6 + more) % 7];
const peak = (...days: readonly number[]) => ({
  ...price,
  tiers: [{ when: { days: days.map(dayIn), from: '00:00' }, factor: '3' }],
});

let gateway: TestGateway;
beforeAll(async () => {
  watchedFastPath();
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      upstream('native', { base_url: provider.url, quirks: { responses: true } }),
      upstream('anthropic', { kind: 'anthropic', base_url: provider.url.replace('/v1', '') }),
    ],
    models: [
      model('plain', { price }),
      model('peak', { price: peak(-1, 0, 1), routes: [{ upstream: 'fake', model: 'plain' }] }),
      model('off-peak', { price: peak(3, 4), routes: [{ upstream: 'fake', model: 'plain' }] }),
      model('strict', { price, priced_fields: 'refuse' }),
      model('speaker', { price, routes: [{ upstream: 'native' }] }),
      model('claude', { price, routes: [{ upstream: 'anthropic' }] }),
    ],
  }));
});
afterAll(() => gateway.stop());

function upstream(name: string, more: object): object {
  return { name, kind: 'openai', api_key: 'sk-upstream-canary', timeouts: patientTimeouts, ...more };
}

/** A streamed chat answer; the last chunk has the tier that was served. */
function chatAnswer(promptTokens: number, serviceTier?: string) {
  const counts = { prompt_tokens: promptTokens, completion_tokens: 10, total_tokens: promptTokens + 10 };
  const last = { id: 'c', object: 'chat.completion.chunk', choices: [], usage: counts, service_tier: serviceTier };
  const first = { ...chunk({ role: 'assistant', content: 'ok' }), service_tier: 'auto' };
  return sse([first, finish('stop'), last, '[DONE]']);
}

const message = (usage: object) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 10, ...usage },
});

beforeEach(() => {
  for (const name of ['plain', 'strict']) gateway.provider.respond(name, chatAnswer(100));
  gateway.provider.respond('claude', json(200, message({})));
});

/** Waits for the record of a request, and returns its cost in nano-units, its notes and the call at the provider. */
async function outcome(reply: GatewayReply) {
  expect(reply.status, reply.text).toBe(200);
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  const detail = () => requestDetail(gateway.gateway.store, id);
  await expect.poll(async () => (await detail())?.state, { message: 'the state of the request' }).toBe('recorded');
  const record = (await detail())?.record;
  return { call: gateway.provider.calls.at(-1), notes: record?.notes, cost: record?.cost, record };
}

/** The cost of 100 tokens in and 10 out at a factor, with the price of the request. */
const costAt = (factor: number) => BigInt(Math.round((100 * 1000 + 10 * 2000) * factor)) + 1_000_000n;

describe('chat completions', () => {
  test.each([
    ['priority', 'priority', 2.5],
    ['priority', 'default', 1],
    ['priority', undefined, 2.5],
    ['flex', 'flex', 0.5],
    ['flex', 'default', 1],
    ['flex', 'priority', 1],
  ])('a request for %s that is served as %s is charged at a factor of %d', async (requested, served, factor) => {
    gateway.provider.respond('plain', chatAnswer(100, served));
    const { call, cost, notes } = await outcome(await gateway.chat({ model: 'plain', service_tier: requested }));
    expect(call?.body).toMatchObject({ service_tier: requested });
    expect(notes).toEqual([]);
    expect(cost).toBe(costAt(factor));
  });

  test('a tier without a price is removed, and the request is charged without it', async () => {
    const { call, cost, notes } = await outcome(await gateway.chat({ model: 'plain', service_tier: 'scale' }));
    expect(call?.body).not.toHaveProperty('service_tier');
    expect(notes).toEqual(["left out, because it changes the provider's price: service_tier"]);
    expect(cost).toBe(costAt(1));
  });

  test('if the model refuses such fields, the error names the field', async () => {
    const reply = await gateway.chat({ model: 'strict', service_tier: 'scale' });
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('service_tier')]);
    expect((await gateway.chat({ model: 'strict', service_tier: 'flex' })).status).toBe(200);
  });

  test.each([
    ['peak', 3],
    ['off-peak', 1],
  ])('a request at the hour of the price %s is charged at a factor of %d, on both paths', async (name, factor) => {
    const { cost } = await outcome(await gateway.chat({ model: name, service_tier: 'default' }));
    expect(cost).toBe(costAt(factor));
    await warmFastPath(gateway, name);
    gateway.provider.respond('plain', chatAnswer(100));
    const reply = await gateway.chat({ model: name });
    expect(isInFastPath()).toBe(true);
    const { cost: ofFastPath, record } = await outcome(reply);
    expect(ofFastPath).toBe(costAt(factor));
    const perToken = String(1_000_000 * (factor === 1 ? 1 : factor * 1_000_000));
    expect(record?.costLines).toContain(`["input","100","${perToken}",${factor === 1 ? 0 : 6}]`);
  });

  test.each([
    [1000, 1000n * 1000n + 10n * 2000n],
    [1001, 1001n * 3000n + 10n * 4000n],
  ])('on the fast path, a prompt of %d tokens is charged at the price of its length', async (tokens, nano) => {
    const content = 'word '.repeat(2000);
    await warmFastPath(gateway, 'plain');
    gateway.provider.respond('plain', chatAnswer(tokens));
    const reply = await gateway.chat({ model: 'plain', messages: [{ role: 'user', content }] });
    expect(isInFastPath()).toBe(true);
    expect((await outcome(reply)).cost).toBe(nano + 1_000_000n);
  });

  test('on the fast path, a tier that the client did not request costs no more than the price without options', async () => {
    await warmFastPath(gateway, 'plain');
    gateway.provider.respond('plain', chatAnswer(100, 'priority'));
    const reply = await gateway.chat({ model: 'plain' });
    expect(isInFastPath()).toBe(true);
    expect((await outcome(reply)).cost).toBe(costAt(1));
    gateway.provider.respond('plain', chatAnswer(100, 'flex'));
    expect((await outcome(await gateway.chat({ model: 'plain' }))).cost).toBe(costAt(0.5));
  });
});

describe('messages', () => {
  const path = '/anthropic/v1/messages';
  const body = { model: 'claude', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] };
  const headers = (more: Record<string, string> = {}) => ({ 'x-api-key': gateway.key, ...more });

  test('a speed and a region with a price are forwarded with their beta, and both factors apply', async () => {
    gateway.provider.respond('claude', json(200, message({ speed: 'fast', inference_geo: 'us' })));
    const reply = await gateway.post(
      path,
      { ...body, speed: 'fast', inference_geo: 'us' },
      headers({ 'anthropic-beta': 'fast-mode-2026-02-01,other' }),
    );
    const { call, cost } = await outcome(reply);
    expect(call?.body).toMatchObject({ speed: 'fast', inference_geo: 'us' });
    expect(call?.headers['anthropic-beta']).toBe('fast-mode-2026-02-01,other');
    expect(cost).toBe(costAt(6.6));
  });

  test('a speed without a price is removed with its beta', async () => {
    const reply = await gateway.post(path, { ...body, speed: 'turbo' }, headers({ 'anthropic-beta': 'fast-mode-1' }));
    const { call, notes, cost } = await outcome(reply);
    expect(call?.body).not.toHaveProperty('speed');
    expect(call?.headers).not.toHaveProperty('anthropic-beta');
    expect(notes).toEqual(["left out, because it changes the provider's price: speed, anthropic-beta: fast-mode-1"]);
    expect(cost).toBe(costAt(1));
  });

  test('a chat request for the model gets the tier in the format of the provider', async () => {
    gateway.provider.respond('claude', json(200, message({ service_tier: 'priority' })));
    const { call, cost } = await outcome(await gateway.chat({ model: 'claude', service_tier: 'priority' }));
    expect(call?.body).toMatchObject({ service_tier: 'priority' });
    expect(cost).toBe(costAt(2.5));
  });
});

describe('responses', () => {
  test('the tier of the last event counts', async () => {
    const response = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'speaker',
      output: [
        {
          type: 'message',
          id: 'm',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'ok', annotations: [] }],
        },
      ],
      service_tier: 'default',
      usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
    };
    gateway.provider.respond('speaker', json(200, response));
    const body = { model: 'speaker', input: 'hello', stream: false, service_tier: 'priority' };
    const { call, cost } = await outcome(await gateway.post('/v1/responses', body));
    expect(call?.body).toMatchObject({ service_tier: 'priority' });
    expect(cost).toBe(costAt(1));
  });
});
