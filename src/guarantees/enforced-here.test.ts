import { describe, expect, test } from 'vitest';
import { type Guarantees, type ProviderConstraints, usualGuarantees } from '../core/guarantee.ts';
import { keptHere, type PromisedRequest } from './enforced-here.ts';

const plain: PromisedRequest = {
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

function kept(request: Partial<PromisedRequest>, providers: ProviderConstraints[], guarantees?: Partial<Guarantees>) {
  const here = keptHere({ ...plain, ...request }, { ...usualGuarantees, ...guarantees }, providers);
  return Object.entries(here ?? {}).flatMap(([name, isHere]) => (isHere ? [name] : []));
}

describe('by itself the gateway keeps what a provider is not known to keep', () => {
  test.each<[string, Partial<PromisedRequest>, ProviderConstraints, string[]]>([
    ['nothing is asked for', { tools: [tool(false)], toolChoice: 'auto' }, {}, []],
    ['stops of which nothing is known', { stop: ['a'] }, {}, ['stop']],
    ['more stops than it takes', { stop: ['a', 'b'] }, { stopMax: 1 }, ['stop']],
    ['as many stops as it takes', { stop: ['a'] }, { stopMax: 1 }, []],
    ['a cap', { maxTokens: 5 }, {}, ['maxTokens']],
    ['a cap that it is known to keep', { maxTokens: 5 }, { maxTokens: true }, []],
    ['a cap that it is known to ignore', { maxTokens: 5 }, { maxTokens: false }, ['maxTokens']],
    ['a cap beside what it keeps', { stop: ['a'], maxTokens: 5 }, { stopMax: 1 }, ['maxTokens']],
    ['a strict tool', { tools: [tool(false), tool(true)] }, {}, ['strict']],
    ['a demanded call', { toolChoice: 'required' }, {}, ['toolChoice']],
    ['a named call', { toolChoice: { name: 'f' } }, {}, ['toolChoice']],
    ['no call', { toolChoice: 'none' }, {}, ['toolChoice']],
    ['one call at a time', { tools: [tool(false)], parallelToolCalls: false }, {}, ['toolChoice']],
    ['an object', { answerFormat: 'json' }, {}, ['json']],
    ['an object from who gives objects', { answerFormat: 'json' }, { json: 'object' }, []],
    ['a schema from who gives objects', { answerFormat: schema(true) }, { json: 'object' }, ['json']],
    ['a strict schema from who keeps them', { answerFormat: schema(true) }, { json: 'schema' }, []],
    ['a schema that is only a wish there', { answerFormat: schema(false) }, { json: 'schema' }, ['json']],
    [
      'all of it from who keeps all of it',
      { stop: ['a'], maxTokens: 1, tools: [tool(true)], toolChoice: 'required', answerFormat: schema(true) },
      everything,
      [],
    ],
  ])('%s', (_, request, provider, expected) => {
    expect(kept(request, [provider])).toEqual(expected);
  });
});

test('a model says who keeps what', () => {
  const request = { stop: ['a'], tools: [tool(true)] };
  expect(kept(request, [everything], { stop: 'gateway', strict: 'gateway' })).toEqual(['stop', 'strict']);
  expect(kept(request, [{}], { stop: 'off', strict: 'off' })).toEqual([]);
  expect(kept(request, [{}], { stop: 'provider', strict: 'provider' })).toEqual([]);
  expect(kept(request, [{ stopMax: 0, strict: false }], { stop: 'provider', strict: 'provider' })).toEqual([
    'stop',
    'strict',
  ]);
});

test('an answer is as trustworthy as the least of those who may have a part in it', () => {
  expect(kept({ tools: [tool(true)] }, [everything, {}])).toEqual(['strict']);
});
