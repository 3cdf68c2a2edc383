import { describe, expect, test } from 'vitest';
import { type Guarantees, type ProviderConstraints, defaultGuarantees } from '../chat/guarantee.ts';
import { enforcedConstraints, type ConstrainedRequest } from './enforced-constraints.ts';

const emptyRequest: ConstrainedRequest = {
  stop: [],
  maxTokens: undefined,
  tools: [],
  toolChoice: undefined,
  parallelToolCalls: undefined,
  answerFormat: undefined,
};
const tool = (strict: boolean) => ({ name: 'f', description: undefined, parameters: {}, strict });
const schema = (strict: boolean) => ({ name: undefined, schema: {}, strict });
const everything: ProviderConstraints = { stopMax: 4, maxTokens: true, strict: true, toolChoice: true, json: 'schema' };

function enforced(
  request: Partial<ConstrainedRequest>,
  providers: ProviderConstraints[],
  guarantees?: Partial<Guarantees>,
) {
  const here = enforcedConstraints({ ...emptyRequest, ...request }, { ...defaultGuarantees, ...guarantees }, providers);
  return Object.entries(here ?? {}).flatMap(([name, isHere]) => (isHere ? [name] : []));
}

describe('with `auto` the gateway enforces what a provider is not known to enforce', () => {
  test.each<[string, Partial<ConstrainedRequest>, ProviderConstraints, string[]]>([
    ['no constraint', { tools: [tool(false)], toolChoice: 'auto' }, {}, []],
    ['stop sequences with an unknown limit', { stop: ['a'] }, {}, ['stop']],
    ['more stop sequences than the provider accepts', { stop: ['a', 'b'] }, { stopMax: 1 }, ['stop']],
    ['as many stop sequences as the provider accepts', { stop: ['a'] }, { stopMax: 1 }, []],
    ['a cap', { maxTokens: 5 }, {}, ['maxTokens']],
    ['a cap that the provider is known to enforce', { maxTokens: 5 }, { maxTokens: true }, []],
    ['a cap that the provider is known to ignore', { maxTokens: 5 }, { maxTokens: false }, ['maxTokens']],
    [
      'a cap next to a constraint that the provider enforces',
      { stop: ['a'], maxTokens: 5 },
      { stopMax: 1 },
      ['maxTokens'],
    ],
    ['a strict tool', { tools: [tool(false), tool(true)] }, {}, ['strict']],
    ['a required call', { toolChoice: 'required' }, {}, ['toolChoice']],
    ['a named call', { toolChoice: { name: 'f' } }, {}, ['toolChoice']],
    ['no call', { toolChoice: 'none' }, {}, ['toolChoice']],
    ['one call at a time', { tools: [tool(false)], parallelToolCalls: false }, {}, ['toolChoice']],
    ['an object', { answerFormat: 'json' }, {}, ['json']],
    ['an object from a provider that enforces objects', { answerFormat: 'json' }, { json: 'object' }, []],
    ['a schema from a provider that enforces objects', { answerFormat: schema(true) }, { json: 'object' }, ['json']],
    ['a strict schema from a provider that enforces schemas', { answerFormat: schema(true) }, { json: 'schema' }, []],
    [
      'a schema without strict from a provider that enforces strict schemas',
      { answerFormat: schema(false) },
      { json: 'schema' },
      ['json'],
    ],
    [
      'all constraints from a provider that enforces all',
      { stop: ['a'], maxTokens: 1, tools: [tool(true)], toolChoice: 'required', answerFormat: schema(true) },
      everything,
      [],
    ],
  ])('%s', (_, request, provider, expected) => {
    expect(enforced(request, [provider])).toEqual(expected);
  });
});

test('the settings of a model override the default', () => {
  const request = { stop: ['a'], tools: [tool(true)] };
  expect(enforced(request, [everything], { stop: 'gateway', strict: 'gateway' })).toEqual(['stop', 'strict']);
  expect(enforced(request, [{}], { stop: 'off', strict: 'off' })).toEqual([]);
  expect(enforced(request, [{}], { stop: 'provider', strict: 'provider' })).toEqual([]);
  expect(enforced(request, [{ stopMax: 0, strict: false }], { stop: 'provider', strict: 'provider' })).toEqual([
    'stop',
    'strict',
  ]);
});

test('a constraint is enforced if one of several providers may not enforce it', () => {
  expect(enforced({ tools: [tool(true)] }, [everything, {}])).toEqual(['strict']);
});
