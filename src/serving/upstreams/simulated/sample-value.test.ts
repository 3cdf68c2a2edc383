import { expect, test } from 'vitest';
import { sampleValue } from './sample-value.ts';

const city = {
  type: 'object',
  properties: { name: { type: 'string' }, country: { $ref: '#/$defs/Country' }, note: { type: 'string' } },
  required: ['name', 'country'],
};
const $defs = { City: city, Country: { type: 'string', enum: ['NO', 'SE'] } };

test.each<[string, unknown, unknown]>([
  ['the required members', city, { name: 'hint', country: 'NO' }],
  ['a required member without a schema', { required: ['a'], additionalProperties: { type: 'integer' } }, { a: 1 }],
  ['a reference', { $ref: '#/$defs/City' }, { name: 'hint', country: 'NO' }],
  ['a reference to nowhere', { $ref: '#/nowhere' }, {}],
  ['a constant before a default', { const: 1, default: 2 }, 1],
  ['null as a constant', { required: ['a'], properties: { a: { const: null } } }, { a: null }],
  ['the first alternative', { anyOf: [{ type: 'boolean' }, { type: 'string' }] }, true],
  [
    'all parts',
    { allOf: [{ $ref: '#/$defs/City' }, { required: ['note'] }] },
    { name: 'hint', country: 'NO', note: 'hint' },
  ],
  ['a type that may be null', { type: ['null', 'number'], minimum: 5 }, 5],
  ['the fewest items', { type: 'array', items: { type: 'null' }, minItems: 2 }, [null, null]],
  ['a short text', { type: 'string', maxLength: 3 }, 'hin'],
  ['a text of a format', { type: 'string', format: 'date' }, '2026-01-01'],
  ['no schema', undefined, {}],
  ['no JSON Schema', 'nonsense', {}],
])('the sample has %s', (_, schema, value) => {
  const root = typeof schema === 'object' ? { ...schema, $defs } : schema;
  expect(sampleValue(root, 'hint')).toEqual(value);
});

test.each<[string, object]>([
  ['whose items are itself', { type: 'array', items: { $ref: '#' }, minItems: 1e9 }],
  ['of itself many times', { allOf: Array.from({ length: 100 }, () => ({ $ref: '#' })) }],
  ['with long texts', { type: 'array', items: { type: 'string', maxLength: 1e9 }, minItems: 20 }],
])('the sample of a schema %s is small', (_, schema) => {
  expect(JSON.stringify(sampleValue(schema, 'x'.repeat(1e6))).length).toBeLessThan(10_000);
});
