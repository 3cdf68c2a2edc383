import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chargeOf, type UsageBounds, worstCase } from '../../../money/billing/ledger/cost.ts';
import { priceOf } from '../../../platform/config/schema/model-price.ts';
import { type Usage, unreportedUsage } from 'chat-formats/chat/usage.ts';
import { clampUsage } from './clamped-usage.ts';

const price = priceOf({
  input: '2.50',
  cachedInput: '0.25',
  cacheWrite5m: '3.125',
  cacheWrite1h: '5.00',
  output: '10.00',
  providerTools: { web_search: '0.01' },
});
const most: UsageBounds = { promptTokens: 1000, outputTokens: 100, toolUses: [{ tool: 'web_search', uses: 3 }] };
const reported = (more: Partial<Usage>): Usage => ({
  ...unreportedUsage,
  promptTokens: 10,
  completionTokens: 5,
  source: 'upstream',
  ...more,
});

test('usage within the bounds stays as it is, without a note', () => {
  const usage = reported({ promptTokens: 1000, completionTokens: 100, toolUses: { web_search: 3, free_tool: 99 } });
  expect(clampUsage(usage, most, price)).toEqual({ usage, notes: [] });
});

test('a count by the gateway itself is clamped too, without a note', () => {
  const { usage, notes } = clampUsage(reported({ completionTokens: 101, source: 'counted' }), most, price);
  expect([usage.completionTokens, notes]).toEqual([100, []]);
});

test('a priced tool that the request does not allow is not charged', () => {
  const { usage, notes } = clampUsage(reported({ toolUses: { web_search: 4 } }), { ...most, toolUses: [] }, price);
  expect(usage.toolUses).toEqual({ web_search: 0 });
  expect(notes).toEqual([expect.stringContaining('4 uses of web_search')]);
});

const count = fc.oneof(fc.nat(2000), fc.constant(Number.MAX_SAFE_INTEGER));
const part = fc.option(count, { nil: undefined });
const anyUsage = fc.record({
  promptTokens: count,
  completionTokens: count,
  cachedTokens: part,
  cacheWrite5mTokens: part,
  cacheWrite1hTokens: part,
  reasoningTokens: part,
  promptAudioTokens: part,
  promptImageTokens: part,
  completionAudioTokens: part,
  toolUses: fc.option(fc.dictionary(fc.constantFrom('web_search', 'free_tool'), count), { nil: undefined }),
  source: fc.constant('upstream' as const),
});

test('no report costs more than the hold, and clamping twice changes nothing', () => {
  fc.assert(
    fc.property(anyUsage, (usage) => {
      const clamped = clampUsage(usage, most, price);
      expect(chargeOf([clamped.usage], price)).toBeLessThanOrEqual(worstCase(most, price));
      expect(chargeOf([clamped.usage], price)).toBeLessThanOrEqual(chargeOf([usage], price));
      expect(clampUsage(clamped.usage, most, price).notes).toEqual([]);
    }),
  );
});
