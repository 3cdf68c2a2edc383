import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelSpec } from '../../platform/config/schema/model.ts';
import type { Caller } from '../../core/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { defaultRepromptSettings, defaultGuarantees } from 'chat-formats/chat/guarantee.ts';
import { buildCatalog } from './catalog.ts';

const noSignUp = { title: '', signUp: false, signUpPackage: 'standard' };

function model(id: string, more: Partial<ModelSpec> = {}): ModelSpec {
  return {
    id,
    aliases: [`${id}-latest`],
    ownedBy: 'acme',
    surfaces: ['openai'],
    endpoints: [],
    fallbacks: [],
    thinking: false,
    continue: 'never',
    repairArguments: false,
    guarantees: defaultGuarantees,
    tools: defaultRepromptSettings,
    jsonDelivery: 'stream',
    untranslatable: 'hints',
    pricedFields: 'strip',
    allowedFields: [],
    cache: 'off',
    routes: [{ upstream: 'acme', model: id, priority: 0, weight: 1 }],
    price: 'free',
    ...more,
  };
}

const noMoves = { keyHeaders: [], pathPrefixes: [], unknownModelStatus: 403, ignoreFields: [] } as const;
const allOff = { honourStreamFalse: false, reportCost: false, messagesBearer: false, ...noMoves, ...noSignUp };

const catalog = buildCatalog({
  models: [model('small'), model('large'), model('claude', { surfaces: ['anthropic'] })],
  packages: [
    { name: 'standard', models: ['*'], weight: 1, priceFactor: '1' },
    { name: 'basic', models: ['small-latest'], weight: 1, priceFactor: '1' },
  ],
  sites: [
    { name: 'main', domains: ['*'], models: ['*'], ...allOff },
    {
      name: 'shop',
      domains: ['shop.example'],
      models: ['l*'],
      honourStreamFalse: true,
      reportCost: true,
      messagesBearer: true,
      ...noMoves,
      ...noSignUp,
    },
  ],
});

function caller({
  site = 'main',
  packageName = 'standard',
  models,
}: {
  site?: string;
  packageName?: string;
  models?: string[];
} = {}): Caller {
  const key = { keyId: 'k', keyName: 'k', accountId: 'a', accountName: 'a', packageName, models };
  return { site, key };
}

const ids = (someCaller: Caller) => catalog.visible(someCaller).map(({ id }) => id);

function refusal(someCaller: Caller, modelName: string): GatewayError | undefined {
  try {
    catalog.require(someCaller, modelName, 'openai');
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

test('site, package and key each restrict the visible models', () => {
  expect(ids(caller())).toEqual(['small', 'large', 'claude']);
  expect(ids(caller({ site: 'shop' }))).toEqual(['large']);
  expect(ids(caller({ packageName: 'basic' }))).toEqual(['small']);
  expect(ids(caller({ models: ['cl*', 'large-latest'] }))).toEqual(['large', 'claude']);
  expect(ids(caller({ site: 'shop', packageName: 'basic' }))).toEqual([]);
  expect(ids(caller({ models: [] }))).toEqual([]);
});

test('a model is found by id and by alias', () => {
  expect(catalog.require(caller(), 'small', 'openai').id).toBe('small');
  expect(catalog.require(caller(), 'small-latest', 'openai').id).toBe('small');
});

test('a missing model, a forbidden one and one of another surface are refused with the same error', () => {
  const refusals = [
    refusal(caller(), 'nope'),
    refusal(caller({ site: 'shop' }), 'small'),
    refusal(caller({ packageName: 'basic' }), 'large'),
    refusal(caller({ models: ['small'] }), 'large'),
    refusal(caller(), 'claude'),
    refusal(caller({ site: '' }), 'small'),
    refusal(caller({ packageName: 'gone' }), 'small'),
  ];
  for (const error of refusals) {
    expect({ case: error?.case, message: error?.message, detail: error?.detail, code: error?.code }).toEqual({
      case: 'access-denied',
      message: refusals[0]?.message,
      detail: undefined,
      code: undefined,
    });
  }
});

test('property names of JavaScript objects are unknown models', () => {
  for (const name of ['', '__proto__', 'constructor', 'toString', '*', 'sm*', 'SMALL', '../small', 'x'.repeat(300)]) {
    expect(refusal(caller(), name)?.case).toBe('access-denied');
  }
  for (const name of ['__proto__', 'constructor']) {
    expect(ids(caller({ site: name }))).toEqual([]);
    expect(ids(caller({ packageName: name }))).toEqual([]);
    expect(ids(caller({ models: [name] }))).toEqual([]);
  }
});

test('every caller can call exactly the models that are listed for it', () => {
  const pattern = fc.constantFrom('*', 'small', 'large', 'l*', '*-latest', 'nope');
  const anyCaller = fc
    .record({
      site: fc.constantFrom('main', 'shop', ''),
      packageName: fc.constantFrom('standard', 'basic', 'gone'),
      models: fc.option(fc.array(pattern, { maxLength: 3 }), { nil: undefined }),
    })
    .map(caller);
  fc.assert(
    fc.property(anyCaller, fc.constantFrom('small', 'large'), (someCaller, id) => {
      expect(refusal(someCaller, id) === undefined).toBe(ids(someCaller).includes(id));
      expect(refusal(someCaller, `${id}-latest`) === undefined).toBe(ids(someCaller).includes(id));
    }),
  );
});

test('a site honours stream: false only if it is configured to', () => {
  expect(['shop', 'main', '', '__proto__'].map((site) => catalog.honoursStreamFalse(site))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('answers contain their charge if the site or the key says so', () => {
  expect(catalog.reportsCost(caller({ site: 'shop' }))).toBe(true);
  expect(catalog.reportsCost(caller())).toBe(false);
  const { key, site } = caller();
  expect(catalog.reportsCost({ site, key: { ...key, reportsCost: true } })).toBe(true);
});

test('a model carries only the settings that requests need', () => {
  expect(Object.keys(catalog.require(caller(), 'small', 'openai')).sort()).toEqual([
    'aliases',
    'allowedFields',
    'cache',
    'contextWindow',
    'continue',
    'description',
    'endpoints',
    'fallbacks',
    'guarantees',
    'id',
    'jsonDelivery',
    'maxOutputTokens',
    'ownedBy',
    'price',
    'pricedFields',
    'repairArguments',
    'routes',
    'surfaces',
    'thinking',
    'thinksFirst',
    'toolFormat',
    'tools',
    'untranslatable',
  ]);
});
