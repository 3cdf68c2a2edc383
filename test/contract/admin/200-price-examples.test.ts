import { afterAll, beforeAll, expect, test } from 'vitest';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { decimalText } from '../../../src/core/money.ts';
import { type AdminGateway, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { oracleCharge, type WrittenPrice } from '../../price-oracle.ts';

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway();
});
afterAll(() => gateway.stop());

interface Example {
  readonly tier: { readonly service_tier: string | null; readonly region: string | null } | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost: string;
}

const read = (price: string) => {
  const path = `/admin/v1/price-examples?price=${encodeURIComponent(price)}`;
  return gateway.send('GET', path, { token: gateway.tokens['read-only'] });
};

async function examplesOf(price: unknown): Promise<readonly Example[]> {
  const { status, json } = await read(JSON.stringify(price));
  expect([status, json.error]).toEqual([200, undefined]);
  return json.data;
}

test('a flat price has one example', async () => {
  expect(await examplesOf({ input: '0.56', output: '1.68', batch: '0.5' })).toEqual([
    { tier: null, prompt_tokens: 1000, completion_tokens: 500, cost: '0.0014' },
  ]);
});

test('each tier has an example that meets its conditions, priced as the gateway charges it', async () => {
  const price: WrittenPrice = {
    input: '1.25',
    output: '10',
    units: { request: '0.001' },
    tiers: [
      { when: { prompt_over: 200_000 }, input: '2.50', output: '15' },
      { when: { service_tier: 'priority' }, factor: '2' },
      { when: { service_tier: 'priority', region: 'us' }, factor: '1.1' },
      { when: { prompt_over: 300_000 }, input: '9', output: '9' },
    ],
  };
  const examples = await examplesOf(price);
  expect(examples.map((example) => example.prompt_tokens)).toEqual([1000, 200_001, 1000, 1000, 300_001]);
  expect(examples.map(({ cost }) => cost)).toEqual(['0.00725', '0.5085025', '0.0135', '0.01475', '0.7585025']);
  for (const { tier, cost, prompt_tokens: promptTokens, completion_tokens: completionTokens } of examples) {
    const toolUses = { 'unit:request': 1 };
    const usage = { ...unreportedUsage, promptTokens, completionTokens, toolUses, source: 'upstream' as const };
    const requested = { serviceTier: tier?.service_tier ?? undefined, region: tier?.region ?? undefined };
    expect(cost).toBe(decimalText(oracleCharge([usage], price, { requested, factor: '1' })));
  }
});

test('the example without a tier has a prompt that no tier for long prompts matches', async () => {
  const tiers = [{ when: { prompt_over: 128 }, factor: '3' }];
  const examples = await examplesOf({ input: '1', output: '1', tiers });
  expect(examples.map((example) => [example.prompt_tokens, example.cost])).toEqual([
    [128, '0.000628'],
    [1000, '0.0045'],
  ]);
});

test('the example of a window of the week is a request at its beginning', async () => {
  const when = { days: ['sat', 'sun'], from: '22:00', to: '02:00' };
  const tiers = [{ when, factor: '3' }];
  const examples = await examplesOf({ input: '1', output: '0', time_zone: 'Asia/Shanghai', tiers });
  expect(examples.map(({ cost }) => cost)).toEqual(['0.001', '0.003']);
  expect(examples[1]!.tier).toMatchObject({ ...when, time_zone: 'Asia/Shanghai' });
});

test.each([
  ['a price that is not text', '{"input":1,"output":"1"}', 'price.input'],
  ['JSON that breaks off', '{"input":', 'price'],
  ['a free model', '"free"', 'price'],
])('%s is refused by the name of its field', async (_, price, field) => {
  const { status, json } = await read(price);
  expect(status).toBe(400);
  expect(json.error.message).toContain(`\`${field}\``);
});
