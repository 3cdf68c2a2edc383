import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../../src/money/billing/ledger/verify.ts';
import { findRequest } from '../../../src/money/requests/find-requests.ts';
import { expectEnvelope, expectGatewayHeaders } from '../../expectations.ts';
import { answer, chunk, endings, finish, json, sse, usage } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [
      ...(base['models'] as object[]),
      model('free', { price: 'free' }),
      model('cached', { price: { input: '2.50', cached_input: '0.25', output: '10.00' }, max_output_tokens: 1000 }),
    ],
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'poor', package: 'standard', credit: '0.000001' },
      { name: 'broke', package: 'standard' },
    ],
  }));
});
afterAll(() => gateway.stop());

async function balance(headers?: Record<string, string>): Promise<string> {
  return (await gateway.get('/v1/user/balance', headers)).json.balance_infos[0].total_balance;
}

/** The amount that the account pays for `work`, in nano-units. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const nano = async () => Math.round(Number(await balance()) * 1e9);
  const before = await nano();
  await work();
  return before - (await nano());
}

test('the balance has the shape of the contract, with granted and topped-up amounts', async () => {
  const reply = await gateway.get('/v1/user/balance');
  expectGatewayHeaders(reply);
  expect(reply.json).toEqual({
    is_available: true,
    balance_infos: [{ currency: 'USD', total_balance: '100.00', granted_balance: '100.00', topped_up_balance: '0.00' }],
  });
});

test('the balance needs a key', async () => {
  const reply = await gateway.get('/v1/user/balance', { authorization: '' });
  expectEnvelope(reply, { status: 401, code: 'invalid_api_key', type: 'authentication_error' });
});

test('the balance contains the exact charge as soon as the client received [DONE]', async () => {
  gateway.provider.respond('plain', answer('one two three', { promptTokens: 7 }));
  expect(await costOf(() => gateway.chat({}))).toBe(7 * 1000 + 3 * 2000);
});

test('cached input has its own price', async () => {
  const used = usage(500, 10, { prompt_tokens_details: { cached_tokens: 300 } });
  gateway.provider.respond('cached', sse([chunk({ content: 'x' }), finish('stop'), used, '[DONE]']));
  expect(await costOf(() => gateway.chat({ model: 'cached' }))).toBe(200 * 2500 + 300 * 250 + 10 * 10_000);
});

test('a free model costs nothing, also for an account without balance', async () => {
  gateway.provider.respond('free', answer('one two three'));
  const headers = { authorization: `Bearer ${await gateway.newKey({ account: 'broke' })}` };
  expect((await gateway.chat({ model: 'free' }, headers)).frames.at(-1)).toBe('[DONE]');
  expect(await balance(headers)).toBe('0.00');
});

test.each(['poor', 'broke'])(
  'an account that cannot cover the request is refused before a call to the provider: %s',
  async (account) => {
    const before = gateway.provider.calls.length;
    const headers = { authorization: `Bearer ${await gateway.newKey({ account })}` };
    const reply = await gateway.chat({}, headers);
    expectEnvelope(reply, { status: 402, code: 'insufficient_balance', type: 'gateway_error' });
    expect(gateway.provider.calls.length).toBe(before);
  },
);

test('a request that fails before its first token costs nothing', async () => {
  gateway.provider.respond('other', json(500, {}));
  expect(await costOf(() => gateway.chat({ model: 'other' }))).toBe(0);
  gateway.provider.respond('other', json(400, { error: { message: 'no' } }));
  expect(await costOf(() => gateway.chat({ model: 'other' }))).toBe(0);
});

test('an answer without any output or usage is complete, and costs nothing', async () => {
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: '' }), finish('stop'), '[DONE]']));
  const before = await balance();
  const reply = await gateway.chat({ model: 'other' });
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(reply.chunks.at(-1).usage).toMatchObject({ completion_tokens: 0 });
  expect(await balance()).toBe(before);
});

test('an interrupted answer is charged for the part that the client received', async () => {
  gateway.provider.respond('other', sse([chunk({ content: 'Hello there, my friend.' }), endings.cut]));
  const before = await balance();
  const reply = await gateway.chat({ model: 'other' });
  expect(reply.text).not.toContain('[DONE]');
  await expect.poll(() => balance(), { message: 'the balance after the charge' }).not.toBe(before);
  const id = reply.headers.get('x-gateway-request-id')!;
  await expect
    .poll(() => findRequest(gateway.gateway.store, id), { message: 'the record of the request' })
    .toMatchObject({ usageSource: 'counted', completionTokens: 6, priceVersion: expect.stringMatching(/^p_/) });
  const { cost, promptTokens } = (await findRequest(gateway.gateway.store, id))!;
  expect(cost).toBe(BigInt(promptTokens! * 1000 + 6 * 2000));
});

test.each([
  ['negative', { prompt_tokens: -5, completion_tokens: -1 }],
  ['astronomic', { prompt_tokens: 1e15, completion_tokens: 1e12 }],
  ['strings', { prompt_tokens: 'many', completion_tokens: 'more' }],
  [
    'more cached than there is',
    { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 999 } },
  ],
])(
  'usage that is %s never becomes a credit, and never costs more than a full context window',
  async (_label, reported) => {
    gateway.provider.respond(
      'plain',
      sse([chunk({ content: 'x' }), finish('stop'), { choices: [], usage: reported }, '[DONE]']),
    );
    const cost = await costOf(() => gateway.chat({}));
    expect(cost).toBeGreaterThanOrEqual(0);
    expect(cost).toBeLessThanOrEqual(100_000 * (1000 + 2000));
  },
);

test('after all these requests the ledger is valid and nothing is in flight', async () => {
  const message = 'requests in flight';
  await expect.poll(() => gateway.gateway.inFlight(), { message }).toEqual({ exchanges: 0, answers: 0 });
  const report = await verifyLedger(gateway.gateway.store);
  expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  // The checks of codes, closed months and payments have no rows in this test.
  expect(report.checks.filter(({ count }) => count > 0).length).toBeGreaterThanOrEqual(8);
});
