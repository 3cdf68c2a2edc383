import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { unreportedUsage, type Usage } from 'chat-formats/chat/usage.ts';
import { isDeep } from '../depth.ts';
import { chunk, endings, finish, json, type ScriptedReply, sse, type SseStep } from '../fakes/fake-provider.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { oracleCharge, type WrittenPrice } from '../price-oracle.ts';

// A scripted provider serves other tiers than requested, reports its usage late, twice or never, and fails. Every
// charge must equal the charge of the second implementation, and the ledger must add up.

const decimal = fc
  .tuple(fc.nat(99), fc.nat(999_999), fc.integer({ min: 1, max: 6 }))
  .map(([whole, places, length]) => `${whole}.${String(places).padStart(6, '0').slice(0, length)}`);
const tokenPrices = fc.record(
  { input: decimal, output: decimal, cached_input: decimal, reasoning: decimal },
  { requiredKeys: ['input', 'output'] },
);
const tiers = fc.tuple(tokenPrices, tokenPrices, decimal, decimal).map(([long, flex, priority, fast]) => [
  { when: { prompt_over: 40 }, ...long },
  { when: { service_tier: 'flex' }, ...flex },
  { when: { service_tier: 'priority' }, factor: priority },
  { when: { speed: 'fast' }, factor: fast },
]);
const schedules = fc
  .tuple(tokenPrices, fc.record({ tiers, units: fc.record({ request: decimal }) }, { requiredKeys: [] }))
  .map(([prices, more]): WrittenPrice => ({ ...prices, ...more }));
const prices = fc.sample(schedules, { seed: 7, numRuns: 5 });
const factors = ['1', '1.1', '0.370001'];

const places = ['end', 'late', 'twice', 'never'] as const;
const cases = fc.record({
  price: fc.nat(prices.length - 1),
  factor: fc.nat(factors.length - 1),
  surface: fc.constantFrom('chat', 'messages', 'responses'),
  stream: fc.boolean(),
  requested: fc.constantFrom(undefined, 'priority', 'flex', 'scale'),
  served: fc.constantFrom(undefined, 'priority', 'flex', 'default'),
  prompt: fc.oneof(fc.integer({ min: 39, max: 42 }), fc.integer({ min: 1, max: 90 })),
  cached: fc.nat(30),
  completion: fc.integer({ min: 1, max: 40 }),
  reasoning: fc.nat(20),
  place: fc.constantFrom(...places),
  end: fc.constantFrom('complete', 'complete', 'complete', 'cut', 'refused'),
});
type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never;

let gateway: TestGateway;
let keys: readonly string[];
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { ...provided('native', provider.url), quirks: { responses: true } },
      { ...provided('anthropic', provider.url.replace('/v1', '')), kind: 'anthropic' },
    ],
    models: prices.flatMap((price, index) => [
      model(`chat-${index}`, { price }),
      model(`messages-${index}`, { price, routes: [{ upstream: 'anthropic' }] }),
      model(`responses-${index}`, { price, routes: [{ upstream: 'native' }] }),
    ]),
    packages: factors.map((price_factor, index) => ({ name: `package-${index}`, models: ['*'], price_factor })),
    accounts: [
      { name: 'tester', package: 'package-0' },
      ...factors.map((_, index) => ({ name: `account-${index}`, package: `package-${index}`, credit: '1000000' })),
    ],
  }));
  keys = await Promise.all(factors.map((_, index) => gateway.newKey({ account: `account-${index}` })));
});
afterAll(() => gateway.stop());

function provided(name: string, base_url: string): object {
  return { name, kind: 'openai', base_url, api_key: 'sk-upstream-canary', timeouts: patientTimeouts };
}

test('any answer is charged as the second implementation charges it, and the ledger verifies', async () => {
  await fc.assert(fc.asyncProperty(cases, expectCharge), { numRuns: isDeep ? 200 : 40, endOnFailure: true });
  expect((await verifyLedger(gateway.gateway.store)).checks.flatMap(({ violations }) => violations)).toEqual([]);
  expect(gateway.gateway.alive().requests).toBe(0);
});

async function expectCharge(each: Case): Promise<void> {
  const id = `${each.surface}-${each.price}`;
  gateway.provider.respond(id, scriptOf(each));
  const key = keys[each.factor] ?? '';
  const reply = await gateway.post(...requestOf(each, id), { authorization: `Bearer ${key}`, 'x-api-key': key });
  const requestId = reply.headers.get('x-gateway-request-id') ?? '';
  const detail = () => requestDetail(gateway.gateway.store, requestId);
  await expect.poll(async () => (await detail())?.state, { message: `record of ${requestId}` }).toBe('recorded');
  const record = (await detail())?.record;
  if (each.end === 'refused') {
    expect([reply.status, record?.cost ?? 0n]).toEqual([400, 0n]);
    return;
  }
  const isReported = each.end === 'complete' && each.place !== 'never';
  if (isReported) {
    const { promptTokens, completionTokens } = usageOf(each);
    expect(record).toMatchObject({ usageSource: 'upstream', promptTokens, completionTokens });
  }
  const recorded: Usage = {
    ...unreportedUsage,
    promptTokens: record?.promptTokens ?? 0,
    completionTokens: record?.completionTokens ?? 0,
    cachedTokens: record?.cachedTokens,
    reasoningTokens: record?.reasoningTokens,
    toolUses: { 'unit:request': 1 },
    served: servedOf(each),
    source: 'upstream',
  };
  const price = prices[each.price] as WrittenPrice;
  const isPriced = price.tiers?.some(({ when }) => when.service_tier === each.requested);
  const requested = { serviceTier: isPriced ? each.requested : undefined };
  const expected = oracleCharge([recorded], price, { requested, factor: factors[each.factor] ?? '1' });
  expect(record?.cost, JSON.stringify({ each, recorded })).toBe(expected);
}

function usageOf({ prompt, cached, completion, reasoning }: Case) {
  return {
    promptTokens: prompt,
    cachedTokens: Math.min(cached, prompt),
    completionTokens: completion,
    reasoningTokens: Math.min(reasoning, completion),
  };
}

/** The last tier that came with a usage. Messages also have a usage, with the tier `priority`, at their start. */
function servedOf({ surface, served, place, end }: Case): Usage['served'] {
  if (place === 'never') return undefined;
  const last = end === 'cut' ? undefined : served;
  const serviceTier = surface === 'messages' ? (last ?? 'priority') : last;
  return serviceTier === undefined ? undefined : { serviceTier };
}

function requestOf({ surface, stream, requested }: Case, id: string): [string, object] {
  const content = 'Please say something about the weather in town. '.repeat(20);
  const common = { model: id, stream, ...(requested !== undefined && { service_tier: requested }) };
  const messages = [{ role: 'user', content }];
  if (surface === 'chat') return ['/v1/chat/completions', { ...common, messages }];
  if (surface === 'responses') return ['/v1/responses', { ...common, input: content }];
  return ['/anthropic/v1/messages', { ...common, max_tokens: 64, messages }];
}

const spoken = 'It is sunny and warm.';

function scriptOf(each: Case): ScriptedReply {
  if (each.end === 'refused') return json(400, { error: { message: 'no', type: 'invalid_request_error' } });
  return { chat: chatScript, messages: messagesScript, responses: responsesScript }[each.surface](each);
}

/** Orders the parts of a stream: the usage may come late or twice, or the connection closes before it. */
function stream({ place, end }: Case, parts: { begin: SseStep[]; early: SseStep[]; finish: SseStep[] }): ScriptedReply {
  if (end === 'cut') return sse([...parts.begin, endings.cut]);
  const wait = place === 'late' ? [new Promise((resolve) => setTimeout(resolve, 20))] : [];
  return sse([...parts.begin, ...(place === 'twice' ? parts.early : []), ...wait, ...parts.finish]);
}

function chatScript(each: Case): ScriptedReply {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usageOf(each);
  const counts = (output: number) => ({
    prompt_tokens: promptTokens,
    completion_tokens: output,
    total_tokens: promptTokens + output,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: Math.min(reasoningTokens, output) },
  });
  const last = (output: number, tier: string | undefined) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [],
    usage: counts(output),
    service_tier: tier,
  });
  const first = { ...chunk({ role: 'assistant', content: spoken }), service_tier: each.requested };
  const usage = each.place === 'never' ? [] : [last(completionTokens, each.served)];
  return stream(each, {
    begin: [first],
    early: [last(1, 'priority')],
    finish: [finish('stop'), ...usage, '[DONE]'],
  });
}

function messagesScript(each: Case): ScriptedReply {
  const { promptTokens, cachedTokens, completionTokens } = usageOf(each);
  const input = { input_tokens: promptTokens - cachedTokens, cache_read_input_tokens: cachedTokens };
  const frame = (event: { type: string; [name: string]: unknown }) => ({
    raw: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  });
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
  const usage = { ...input, output_tokens: completionTokens, service_tier: each.served };
  const start = each.place === 'never' ? {} : { usage: { ...input, output_tokens: 1, service_tier: 'priority' } };
  const delta = (used: object) =>
    frame({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, ...used });
  return stream(each, {
    begin: [
      frame({ type: 'message_start', message: { ...message, ...start } }),
      frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: spoken } }),
      frame({ type: 'content_block_stop', index: 0 }),
    ],
    early: [delta({ usage: { ...input, output_tokens: 1, service_tier: 'priority' } })],
    finish: [delta(each.place === 'never' ? {} : { usage }), frame({ type: 'message_stop' })],
  });
}

function responsesScript(each: Case): ScriptedReply {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usageOf(each);
  const item = { type: 'message', id: 'm', role: 'assistant', status: 'completed' };
  const content = [{ type: 'output_text', text: spoken, annotations: [] }];
  const response = (status: string, more: object) => ({ id: 'r', object: 'response', status, model: 'm', ...more });
  const usage = {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
  const end = { output: [{ ...item, content }], service_tier: each.served, ...(each.place !== 'never' && { usage }) };
  const echo = { service_tier: each.requested, output: [] };
  const early = { ...echo, usage: { ...usage, output_tokens: 1 } };
  return stream(each, {
    begin: [
      { type: 'response.created', response: response('in_progress', echo) },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: spoken },
    ],
    early: [{ type: 'response.in_progress', response: response('in_progress', early) }],
    finish: [
      { type: 'response.output_item.done', output_index: 0, item: { ...item, content } },
      { type: 'response.completed', response: response('completed', end) },
    ],
  });
}
