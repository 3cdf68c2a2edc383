import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { expectAtRest } from '../at-rest.ts';
import { isDeep } from '../depth.ts';
import { json, sse } from '../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { oracleCallsCharge, type ReportedCall } from '../price-oracle.ts';

const small = { input: '1.25', output: '2.5' };
const big = { input: '10', output: '20.7' };

let gateway: TestGateway;
beforeAll(async () => {
  const limits = { context_window: 10_000, max_output_tokens: 1000 };
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'claude', kind: 'anthropic', base_url: provider.url, api_key: 'sk-upstream-canary' },
    ],
    models: [
      ...(base['models'] as object[]),
      model('small', { ...limits, routes: [{ upstream: 'claude', model: 'small-p' }], price: small }),
      model('big', { ...limits, routes: [{ upstream: 'claude', model: 'big-p' }], price: big }),
    ],
    accounts: [{ name: 'tester', package: 'standard', credit: '1000.00' }],
  }));
});
afterAll(() => gateway.stop());

/** A request for everything: an adviser, a fallback and summaries. Its hold covers what any of them may cost. */
const asked = {
  model: 'small',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'hello' }],
  fallbacks: [{ model: 'big' }],
  tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'big', max_uses: 5 }],
  context_management: { edits: [{ type: 'compact_20260112' }] },
};

const call: fc.Arbitrary<ReportedCall> = fc.record({
  type: fc.constantFrom('message', 'compaction', 'advisor_message', 'fallback_message', 'mystery'),
  model: fc.constantFrom('big-p', null),
  input_tokens: fc.nat(3000),
  output_tokens: fc.oneof(fc.constant(0), fc.nat(300)),
});

const answer = fc.record({
  calls: fc.array(call, { minLength: 2, maxLength: 5 }),
  /** How many of the calls the first event of a stream already has, if it is a stream. */
  early: fc.option(fc.nat(5)),
  split: fc.constantFrom('events', 'whole', 'bytes'),
});

function scripted(calls: readonly ReportedCall[], early: number | null, split: 'events' | 'whole' | 'bytes') {
  const counts = { input_tokens: 20, output_tokens: 5 };
  const content = [{ type: 'text', text: 'ok' }];
  const whole = { id: 'm', type: 'message', role: 'assistant', model: 'small-p', stop_reason: 'end_turn' };
  if (early === null) return json(200, { ...whole, content, usage: { ...counts, iterations: calls } });
  const events = [
    {
      type: 'message_start',
      message: { ...whole, content: [], usage: { ...counts, iterations: calls.slice(0, early) } },
    },
    { type: 'content_block_start', index: 0, content_block: content[0] },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5, iterations: calls } },
    { type: 'message_stop' },
  ];
  return sse(
    events.map((event) => ({ raw: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` })),
    { split },
  );
}

test('the charge for any calls of a provider is that of the oracle, and a lie never costs more than the hold', async () => {
  const send = async (calls: readonly ReportedCall[], early: number | null, split: 'events' | 'whole' | 'bytes') => {
    gateway.provider.respond('small-p', scripted(calls, early, split));
    const reply = await gateway.post(
      '/anthropic/v1/messages',
      { ...asked, stream: early !== null },
      { 'x-api-key': gateway.key },
    );
    expect(reply.status, reply.text).toBe(200);
    const detail = () => requestDetail(gateway.gateway.store, reply.headers.get('x-gateway-request-id') ?? '');
    await expect.poll(async () => (await detail())?.state, { message: 'the state of the request' }).toBe('recorded');
    return (await detail())?.cost;
  };
  await fc.assert(
    fc.asyncProperty(answer, async ({ calls, early, split }) => {
      const billed = calls.filter((each) => each.input_tokens + each.output_tokens > 0);
      expect(await send(calls, early, split)).toBe(oracleCallsCharge(billed, small, { 'big-p': big }));
    }),
    { numRuns: isDeep ? 200 : 25 },
  );
  // In nano-units: the most that the answer, five advices, the fallback and two summaries cost.
  const most = 5n * 10n ** 9n;
  const lie = await send(
    [{ type: 'compaction', input_tokens: 2 ** 31 - 1, output_tokens: 2 ** 31 - 1 }],
    null,
    'whole',
  );
  expect(lie).toBeLessThan(most);
  await expectAtRest(gateway.gateway);
});
