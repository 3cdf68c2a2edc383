import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../test/depth.ts';
import { chargeOf, type CountedUsage } from '../../money/billing/ledger/cost.ts';
import { modelSchema, modelSpec } from '../../platform/config/schema/model.ts';
import { priceOf, withFactor } from '../../platform/config/schema/model-price.ts';
import { recordOf } from 'chat-gateway-import/values.ts';
import { jsonWithNumberTexts } from 'chat-formats/json/number-text.ts';
import { compiledCompletionRatio } from 'chat-gateway-import/one-api/completion-ratios.ts';
import { type FoundPrice, priceFinder } from 'chat-gateway-import/one-api/prices.ts';
import { Ratio } from 'chat-gateway-import/one-api/ratio.ts';
import type { OneApiProduct, OneApiSource } from 'chat-gateway-import/one-api/source.ts';
import { thisGateway } from './this-gateway.ts';

const runs = { numRuns: isDeep ? 5000 : 1000 };

/** The tokens of one request. The old product multiplies floats or decimals: both are exact enough here. */
interface OldTokens {
  readonly plain: number;
  readonly cached: number;
  readonly written: number;
  readonly image: number;
  readonly output: number;
}

const tokens = fc.record({
  plain: fc.nat(200_000),
  cached: fc.nat(100_000),
  written: fc.nat(50_000),
  image: fc.nat(5_000),
  output: fc.nat(50_000),
});
/** Numbers as administrators write them, and such as a division leaves. No price exceeds a million per million tokens. */
const ratio = fc.oneof(
  fc.integer({ min: 0, max: 20_000 }).map((thousandths) => thousandths / 1000),
  fc.double({ min: 0.0001, max: 40, noNaN: true }).map((value) => Number(value.toPrecision(12))),
);
const factor = fc.integer({ min: 1, max: 3000 }).map((thousandths) => thousandths / 1000);
const quotaPerUnit = fc.constantFrom(500_000, 300_000, 1_000_000, 7_000);

/** Rounded up: at most 10⁻⁶ of the currency per million tokens, which is 10⁻³ nano-units per token. */
function roundingMost({ plain, cached, written, image, output }: OldTokens, group: number): number {
  return ((plain + cached + written + image + output) / 1000) * group + 2;
}

test('a request costs what new-api charges, within one unit of quota and the rounding of prices', () => {
  const ratios = fc.record({ model: ratio, completion: ratio, cache: ratio, create: ratio, image: ratio });
  fc.assert(
    fc.property(ratios, tokens, factor, quotaPerUnit, (old, used, group, perUnit) => {
      const entry = {
        model_name: 'm',
        quota_type: 0,
        model_ratio: old.model,
        completion_ratio: old.completion,
        cache_ratio: old.cache,
        create_cache_ratio: old.create,
        image_ratio: old.image,
      };
      const prompt = used.plain + used.cached * old.cache + used.written * old.create + used.image * old.image;
      const exact = (prompt + used.output * old.completion) * old.model * group;
      const isUsed = used.plain + used.cached + used.written + used.image + used.output > 0;
      const quota = isUsed && old.model > 0 ? Math.max(1, Math.round(exact)) : 0;
      const found = priceFinder(sourceOf('new-api', perUnit, [entry]))('m', []);
      expectNear(charge(found, used, group), quota, { used, group, perUnit });
    }),
    runs,
  );
});

test('a request costs what one-api charges, within one unit of quota and the rounding of prices', () => {
  const names = fc.constantFrom(
    'gpt-4o',
    'gpt-3.5-turbo',
    'gpt-3.5-turbo-1106',
    'claude-3-opus',
    'o1-mini',
    'own-model',
  );
  fc.assert(
    fc.property(
      names,
      ratio,
      fc.option(ratio),
      tokens,
      factor,
      quotaPerUnit,
      (name, model, completion, all, group, perUnit) => {
        // one-api knows no caches: all tokens of the prompt cost the same.
        const used = { ...all, cached: 0, written: 0, image: 0 };
        const usedCompletion = completion ?? Number(compiledCompletionRatio(name));
        const exact = (used.plain + used.output * usedCompletion) * model * group;
        const quota = used.plain + used.output > 0 && model > 0 ? Math.max(1, Math.ceil(exact)) : 0;
        const options = new Map([
          ['ModelRatio', JSON.stringify({ [name]: model })],
          ['CompletionRatio', JSON.stringify(completion === null ? {} : { [name]: completion })],
        ]);
        const found = priceFinder({ ...sourceOf('one-api', perUnit, []), options })(name, ['1']);
        expectNear(charge(found, used, group), quota, { used, group, perUnit });
      },
    ),
    runs,
  );
});

test('a call with a price of its own costs exactly that, times the factor of the group', () => {
  const price = fc.integer({ min: 0, max: 1_000_000 }).map((micro) => micro / 1_000_000);
  fc.assert(
    fc.property(price, factor, (perCall, group) => {
      const found = priceFinder(
        sourceOf('new-api', 500_000, [{ model_name: 'm', quota_type: 1, model_price: perCall }]),
      )('m', []);
      const cost = charge(found, { plain: 10, cached: 0, written: 0, image: 0, output: 10 }, group, {
        'unit:request': 1,
      });
      expect(Number(cost)).toBeCloseTo(perCall * group * 1e9, -1);
    }),
    runs,
  );
});

test('the sum of all balances is that of all quotas, to the last digit', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(2n ** 40n), max: 2n ** 48n })), (quotas) => {
      const { nanoPerQuota } = sourceOf('new-api', 500_000, []);
      const balances = quotas.map((quota) => nanoPerQuota.ofAmount(quota));
      expect(balances.every(({ isExact }) => isExact)).toBe(true);
      const sum = balances.reduce((total, { value }) => total + value, 0n);
      expect(sum).toBe(quotas.reduce((total, quota) => total + quota, 0n) * 2000n);
    }),
    runs,
  );
});

function charge(
  found: FoundPrice,
  used: OldTokens,
  group: number,
  toolUses?: Readonly<Record<string, number>>,
): bigint {
  if (typeof found === 'string') throw new Error(`no price: ${found}`);
  const model = modelSchema.parse({ id: 'm', routes: [{ upstream: 'u' }], price: found.price });
  const price = withFactor(priceOf(modelSpec(model).price), Ratio.of(String(group))?.roundedUp(6).text ?? '1');
  const usage: CountedUsage = {
    promptTokens: used.plain + used.cached + used.written + used.image,
    cachedTokens: used.cached,
    cacheWrite5mTokens: used.written,
    cacheWrite1hTokens: 0,
    promptAudioTokens: 0,
    promptImageTokens: used.image,
    completionTokens: used.output,
    reasoningTokens: 0,
    completionAudioTokens: 0,
    ...(toolUses && { toolUses }),
  };
  return chargeOf([usage], price);
}

interface Circumstances {
  readonly used: OldTokens;
  readonly group: number;
  readonly perUnit: number;
}

function expectNear(cost: bigint, quota: number, { used, group, perUnit }: Circumstances): void {
  const nanoPerQuota = 1e9 / perUnit;
  const difference = Number(cost) - quota * nanoPerQuota;
  // The last part is for the floats of this test.
  const most = nanoPerQuota + roundingMost(used, group) + quota * nanoPerQuota * 1e-9;
  expect(Math.abs(difference)).toBeLessThanOrEqual(most);
}

function sourceOf(product: OneApiProduct, perUnit: number, pricing: readonly object[]): OneApiSource {
  const entries = pricing.map((entry) => recordOf(jsonWithNumberTexts(JSON.stringify(entry))));
  const rows = {
    users: [],
    tokens: [],
    channels: [],
    redemptions: [],
    subscriptions: [],
    plans: [],
    deleted: {},
    lost: [],
  };
  const nanoPerQuota = new Ratio(1_000_000_000n).over(new Ratio(BigInt(perUnit)));
  return { product, ...rows, options: new Map(), pricing: entries, nanoPerQuota, now: 0, target: thisGateway };
}
