import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chargeOf, leastCost, worstCase } from './cost.ts';
import { costLines } from './cost-lines.ts';
import { cheapestPrice } from './price-at.ts';
import { modelSchema, modelSpec } from '../../../platform/config/schema/model.ts';
import { priceOf, withFactor } from '../../../platform/config/schema/model-price.ts';
import { type Price, type ServiceLevel, weekdays } from 'chat-formats/price.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import { isDeep } from '../../../../test/depth.ts';
import { oracleCharge, type WrittenPrice } from '../../../../test/price-oracle.ts';

const decimal = fc
  .tuple(fc.nat(99), fc.nat(999_999), fc.integer({ min: 1, max: 6 }))
  .map(([whole, places, length]) => `${whole}.${String(places).padStart(6, '0').slice(0, length)}`);
const factor = fc.oneof(fc.constantFrom('1', '0.5', '1.1', '2', '2.5', '0.000001'), decimal);
const threshold = 200_000;
/** Around the threshold, and far from it. */
const prompt = fc.oneof(fc.integer({ min: threshold - 2, max: threshold + 2 }), fc.nat(500_000), fc.nat(20));
const level: fc.Arbitrary<ServiceLevel> = fc.record(
  {
    serviceTier: fc.constantFrom('priority', 'flex', 'default'),
    speed: fc.constantFrom('fast', 'standard'),
    region: fc.constantFrom('us', 'eu'),
  },
  { requiredKeys: [] },
);
const tokenPrices = fc.record(
  {
    input: decimal,
    output: decimal,
    cached_input: decimal,
    cache_write_5m: decimal,
    cache_write_30m: decimal,
    cache_write_1h: decimal,
    cache_write_12h: decimal,
    input_audio: decimal,
    input_image: decimal,
    reasoning: decimal,
    output_audio: decimal,
  },
  { requiredKeys: ['input', 'output'] },
);
const time = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map(([hour, minute]) => [hour, minute].map((part) => String(part).padStart(2, '0')).join(':'));
const when = fc
  .record(
    {
      days: fc.subarray([...weekdays], { minLength: 1 }),
      from: time,
      to: fc.oneof(time, fc.constant('24:00')),
      prompt_over: fc.constantFrom(10, threshold, 272_000),
      service_tier: fc.constantFrom('priority', 'flex'),
      speed: fc.constant('fast'),
      region: fc.constant('us'),
    },
    { requiredKeys: [] },
  )
  .filter((each) => Object.keys(each).length > 0);
const tier = fc.oneof(
  fc.record({ when, factor }),
  fc.tuple(when, tokenPrices).map(([condition, prices]) => ({ when: condition, ...prices })),
);
const written: fc.Arbitrary<WrittenPrice> = fc
  .tuple(
    tokenPrices,
    fc.record(
      {
        tiers: fc.array(tier, { maxLength: 5 }),
        provider_tools: fc.constant({ web_search: '10.25' }),
        units: fc.record({ request: decimal }),
        time_zone: fc.constantFrom('Asia/Shanghai', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([prices, others]) => ({ ...prices, ...others }));

const part = fc.option(fc.nat(300_000), { nil: undefined });
const usage: fc.Arbitrary<Usage> = fc.record({
  promptTokens: prompt,
  completionTokens: fc.nat(100_000),
  cachedTokens: part,
  cacheWrite5mTokens: part,
  cacheWrite30mTokens: part,
  cacheWrite1hTokens: part,
  cacheWrite12hTokens: part,
  reasoningTokens: part,
  promptAudioTokens: part,
  promptImageTokens: part,
  completionAudioTokens: part,
  toolUses: fc.constantFrom<Usage['toolUses'][]>(undefined, { web_search: 3 }, { 'unit:request': 1 }),
  served: fc.option(level, { nil: undefined }),
  sentAt: fc.oneof(
    fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
    // The clocks of two of the zones change here.
    fc.integer({ min: Date.UTC(2026, 2, 8), max: Date.UTC(2026, 2, 9) }),
    fc.integer({ min: Date.UTC(2026, 3, 4), max: Date.UTC(2026, 3, 5) }),
  ),
  source: fc.constant('upstream' as const),
});

/** The price as the gateway reads it from the configuration. */
function read(price: WrittenPrice, packageFactor: string): Price {
  const spec = modelSpec(modelSchema.parse({ id: 'm', routes: [{ upstream: 'u' }], price }));
  return withFactor(priceOf(spec.price), packageFactor);
}

const cases = fc.record({ price: written, factor, requested: level, answers: fc.array(usage, { maxLength: 4 }) });

test('a charge equals the charge of a second, slower implementation', () => {
  fc.assert(
    fc.property(cases, ({ price, factor: by, requested, answers }) => {
      const charge = chargeOf(answers, read(price, by), requested);
      expect(charge).toBe(oracleCharge(answers, price, { requested, factor: by }));
    }),
    { numRuns: isDeep ? 5000 : 300 },
  );
});

test('a hold covers the charge, whatever tier is served, and no lower bound exceeds the charge', () => {
  fc.assert(
    fc.property(cases, usage, fc.nat(1000), ({ price: text, factor: by, requested }, used, more) => {
      const price = read(text, by);
      const bounds = { promptTokens: used.promptTokens + more, outputTokens: used.completionTokens + more };
      const toolUses = Object.entries(used.toolUses ?? {}).map(([tool, uses]) => ({ tool, uses }));
      const charge = chargeOf([used], price, requested);
      expect(worstCase({ ...bounds, toolUses }, price, requested)).toBeGreaterThanOrEqual(charge);
      const { promptTokens, completionTokens: outputTokens } = used;
      expect(leastCost({ promptTokens, outputTokens }, price)).toBeLessThanOrEqual(charge);
    }),
    { numRuns: isDeep ? 5000 : 300 },
  );
});

test('the cost so far, before the provider reports kinds and tier, never exceeds the charge', () => {
  fc.assert(
    fc.property(cases, usage, fc.nat(100_000), ({ price: text, factor: by, requested }, used, fewer) => {
      const price = read(text, by);
      const completionTokens = Math.max(0, used.completionTokens - fewer);
      const unreported = { reasoningTokens: undefined, completionAudioTokens: undefined, served: undefined };
      const media = { promptAudioTokens: undefined, promptImageTokens: undefined, toolUses: undefined };
      const soFar = { ...used, ...unreported, ...media, completionTokens };
      expect(chargeOf([soFar], cheapestPrice(price))).toBeLessThanOrEqual(chargeOf([used], price, requested));
    }),
    { numRuns: isDeep ? 5000 : 300 },
  );
});

test('the lines of a request add up to its charge', () => {
  fc.assert(
    fc.property(cases, ({ price: text, factor: by, requested, answers }) => {
      const withoutUses = answers.map((each) => ({ ...each, toolUses: undefined }));
      const price = read(text, by);
      const places = 60;
      const exact = costLines(withoutUses, price, requested).reduce(
        (sum, { tokens, perToken, extraPlaces }) => sum + tokens * perToken * 10n ** BigInt(places - extraPlaces),
        0n,
      );
      const divisor = 1000n * 1_000_000n * 10n ** BigInt(places);
      expect((exact * price.factor + divisor - 1n) / divisor).toBe(chargeOf(withoutUses, price, requested));
    }),
  );
});

test.each([
  [200_000, 200_000n * 1250n],
  [200_001, 200_001n * 2500n],
])('a prompt of %i tokens has the price of its length, for all its tokens', (promptTokens, nano) => {
  const price = read(
    { input: '1.25', output: '10', tiers: [{ when: { prompt_over: 200_000 }, input: '2.5', output: '15' }] },
    '1',
  );
  const counts = { promptTokens, completionTokens: 0, cachedTokens: 150_000 };
  expect(chargeOf([{ ...none, ...counts }], price)).toBe(nano);
});

test.each([
  ['the first minute', '2026-11-19T16:30:00Z', 50n],
  ['the minute before', '2026-11-19T16:29:59Z', 100n],
  ['the last minute', '2026-11-20T00:29:59Z', 50n],
  ['the minute after', '2026-11-20T00:30:00Z', 100n],
])('a window of a week holds by the clock of its time zone: %s', (_, sentAt, micro) => {
  const when = { from: '00:30', to: '08:30' };
  const price = read(
    { input: '0.1', output: '0.1', time_zone: 'Asia/Shanghai', tiers: [{ when, factor: '0.5' }] },
    '1',
  );
  const answer = { ...none, promptTokens: 1000, sentAt: Date.parse(sentAt) };
  expect(chargeOf([answer], price)).toBe(micro * 1000n);
  expect(worstCase({ promptTokens: 1000, outputTokens: 0, toolUses: [] }, price)).toBe(100_000n);
});

test('windows cross midnight and the end of the week, and begin on their days', () => {
  const when = { days: ['sun' as const], from: '22:00', to: '02:00' };
  const price = read({ input: '1', output: '1', tiers: [{ when, factor: '3' }] }, '1');
  const factorAt = (day: number, hour: number) =>
    Number(chargeOf([{ ...none, promptTokens: 1, sentAt: Date.UTC(2026, 10, day, hour) }], price) / 1000n);
  // 22 November 2026 is a Sunday.
  const hours = [
    [22, 0],
    [22, 21],
    [22, 22],
    [22, 23],
    [23, 0],
    [23, 1],
    [23, 2],
    [23, 22],
  ] as const;
  expect(hours.map(([day, hour]) => factorAt(day, hour))).toEqual([1, 1, 3, 3, 3, 3, 1, 1]);
  const whole = read({ input: '1', output: '1', tiers: [{ when: { days: ['sun'] }, factor: '3' }] }, '1');
  expect(chargeOf([{ ...none, promptTokens: 1, sentAt: Date.UTC(2026, 10, 22, 23, 59) }], whole)).toBe(3000n);
  expect(chargeOf([{ ...none, promptTokens: 1, sentAt: Date.UTC(2026, 10, 23) }], whole)).toBe(1000n);
});

test('windows that exclude each other do not add up in a hold', () => {
  const peak = (from: string, to: string) => ({ when: { from, to }, factor: '2' });
  const price = read({ input: '1', output: '1', tiers: [peak('09:00', '12:00'), peak('14:00', '18:00')] }, '1');
  expect(worstCase({ promptTokens: 1000, outputTokens: 0, toolUses: [] }, price)).toBe(2_000_000n);
});

test('a client that gets a dearer tier than it requested pays the requested one', () => {
  const price = read(
    {
      input: '1',
      output: '1',
      tiers: [
        { when: { service_tier: 'priority' }, factor: '2' },
        { when: { service_tier: 'flex' }, factor: '0.5' },
      ],
    },
    '1',
  );
  const charge = (requested: string | undefined, served: string | undefined) =>
    chargeOf([{ ...none, promptTokens: 1000, served: { serviceTier: served } }], price, { serviceTier: requested });
  expect(charge('priority', 'priority')).toBe(2_000_000n);
  expect(charge('priority', 'default')).toBe(1_000_000n);
  expect(charge('priority', undefined)).toBe(2_000_000n);
  expect(charge('flex', 'flex')).toBe(500_000n);
  // The provider had no flex capacity. The hold covers the price without options.
  expect(charge('flex', 'default')).toBe(1_000_000n);
  expect(charge('flex', 'priority')).toBe(1_000_000n);
  expect(charge(undefined, 'priority')).toBe(1_000_000n);
  expect(charge(undefined, 'flex')).toBe(500_000n);
});

const none: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: undefined,
  cacheWrite5mTokens: undefined,
  cacheWrite1hTokens: undefined,
  reasoningTokens: undefined,
  promptAudioTokens: undefined,
  promptImageTokens: undefined,
  completionAudioTokens: undefined,
  source: 'upstream',
};
