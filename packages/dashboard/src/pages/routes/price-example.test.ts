import { expect, test } from 'vitest';
import { oracleCharge, type WrittenPrice } from '../../../../../test/price-oracle.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { decimalText } from 'chat-gateway-figures/money.ts';
import { pricedExamples } from './price-example.ts';

test('a flat price has one example', () => {
  expect(pricedExamples({ input: '0.56', output: '1.68' })).toEqual([
    { tier: undefined, promptTokens: 1000, completionTokens: 500, cost: '0.0014' },
  ]);
});

test('each tier has an example that meets its conditions, priced as the gateway charges it', () => {
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
  const examples = pricedExamples(price);
  expect(examples.map(({ promptTokens }) => promptTokens)).toEqual([1000, 200_001, 1000, 1000, 300_001]);
  expect(examples.map(({ cost }) => cost)).toEqual(['0.00725', '0.5085025', '0.0135', '0.01475', '0.7585025']);
  for (const { tier, promptTokens, completionTokens, cost } of examples) {
    const toolUses = { 'unit:request': 1 };
    const usage = { ...unreportedUsage, promptTokens, completionTokens, toolUses, source: 'upstream' as const };
    const { service_tier: serviceTier, region } = tier?.when ?? {};
    expect(cost).toBe(decimalText(oracleCharge([usage], price, { requested: { serviceTier, region }, factor: '1' })));
  }
});

test('the example without a tier has a prompt that no tier for long prompts matches', () => {
  const tiers = [{ when: { prompt_over: 128 }, factor: '3' }];
  expect(
    pricedExamples({ input: '1', output: '1', tiers }).map(({ promptTokens, cost }) => [promptTokens, cost]),
  ).toEqual([
    [128, '0.000628'],
    [1000, '0.0045'],
  ]);
});
