import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { samplePattern } from './sample-pattern.ts';
import { sampleValue } from './sample-value.ts';

/** Fails unless an independent validator accepts the value for the schema. */
function expectValid(schema: Record<string, unknown>): void {
  const value = sampleValue(schema, 'What is the weather in Oslo?');
  const read = z.fromJSONSchema(schema).safeParse(value);
  expect(read.success, `${JSON.stringify(schema)} got ${JSON.stringify(value)}: ${read.error?.message}`).toBe(true);
}

const definitions = {
  City: {
    type: 'object',
    properties: { name: { type: 'string' }, country: { $ref: '#/$defs/Country' } },
    required: ['name', 'country'],
  },
  Country: { type: 'string', enum: ['NO', 'SE'] },
};

test('a reference is resolved at any position', () => {
  expect(sampleValue({ $ref: '#/$defs/City', $defs: definitions }, 'hint')).toEqual({ name: 'hint', country: 'NO' });
  const schema = {
    type: 'object',
    properties: { cities: { type: 'array', items: { $ref: '#/$defs/City' }, minItems: 2 } },
    required: ['cities'],
    $defs: definitions,
  };
  const city = { name: 'hint', country: 'NO' };
  expect(sampleValue(schema, 'hint')).toEqual({ cities: [city, city] });
});

test.each<[string, Record<string, unknown>, unknown]>([
  ['definitions of the older kind', { $ref: '#/definitions/a', definitions: { a: { const: 7 } } }, 7],
  ['a path with escapes', { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { const: 3 } } }, 3],
  ['an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here', const: 4 } } }, 4],
  ['an id', { $ref: 'a.json', $defs: { a: { $id: 'a.json', const: 5 } } }, 5],
])('a reference to %s is resolved', (_, schema, value) => {
  expect(sampleValue(schema, 'x')).toBe(value);
});

test.each<[string, Record<string, unknown>]>([
  ['a reference with other keywords next to it', { $ref: '#/$defs/a', minimum: 5, $defs: { a: { type: 'integer' } } }],
  ['a constant', { type: 'object', properties: { kind: { const: 'x' } }, required: ['kind'] }],
  ['a list of values', { enum: [3, 'a'] }],
  [
    'all of several',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer', minimum: 3 } }, required: ['a'] },
        { type: 'object', properties: { a: { type: 'integer', maximum: 4 }, b: { type: 'string' } }, required: ['b'] },
      ],
    },
  ],
  [
    'all of several references',
    {
      allOf: [
        { $ref: '#/$defs/a' },
        { $ref: '#/$defs/a' },
        { properties: { up: { $ref: '#/$defs/a' } }, required: ['up'] },
      ],
      $defs: { a: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
    },
  ],
  [
    'any of several, with other keywords next to them',
    {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      anyOf: [{ properties: { b: { type: 'number' } }, required: ['b'] }, { required: ['c'] }],
    },
  ],
  [
    'one of several with a discriminator',
    {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' }, size: { type: 'integer' } }, required: ['kind', 'size'] },
        { type: 'object', properties: { kind: { const: 'b' } }, required: ['kind'] },
      ],
    },
  ],
  ['any of which the first is impossible', { anyOf: [{ type: 'string', enum: [] }, { type: 'boolean' }] }],
  ['a default that does not fit', { type: 'string', default: null }],
  ['a nullable field with a default', { anyOf: [{ type: 'string' }, { type: 'null' }], default: null }],
  ['numbers between bounds', { type: 'number', exclusiveMinimum: 0, maximum: 0.5 }],
  ['a multiple', { type: 'integer', minimum: 4, multipleOf: 3 }],
  ['a negative number', { type: 'integer', maximum: -5 }],
  ['a long text', { type: 'string', minLength: 120 }],
  ['a short text', { type: 'string', maxLength: 2 }],
  ['a pattern', { type: 'string', pattern: '^[A-Z]{2}-\\d{3,}$' }],
  ['a pattern with a length', { type: 'string', pattern: '^[a-z]+$', minLength: 5, maxLength: 9 }],
  ['an address', { type: 'string', format: 'ipv4' }],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }],
  ['a list of different things', { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2, uniqueItems: true }],
  ['an empty list', { type: 'array', items: { type: 'string' }, maxItems: 0 }],
  ['a map', { type: 'object', additionalProperties: { type: 'integer' } }],
  [
    'required fields without a property schema',
    { type: 'object', required: ['a'], additionalProperties: { type: 'integer' } },
  ],
])('the value is valid: %s', (_, schema) => {
  expectValid(schema);
});

describe('schemas in the style of frameworks', () => {
  const address = z.object({ street: z.string().min(1), zip: z.string().regex(/^\d{5}$/) }).meta({ id: 'Address' });
  const person = z.object({
    name: z.string().max(20),
    age: z.int().min(0).max(150),
    home: address,
    work: address.nullable(),
    role: z.enum(['admin', 'user']),
    contact: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('mail'), to: z.email() }),
      z.object({ kind: z.literal('phone'), number: z.string() }),
    ]),
    tags: z.array(z.string()).min(1),
    notes: z.record(z.string(), z.number()).optional(),
  });
  const tree: z.ZodType = z.object({
    value: z.int(),
    left: z.lazy(() => tree).nullable(),
    children: z.array(z.lazy(() => tree)),
  });

  test.each([
    ['an object of everything', person],
    ['a tree', tree],
    ['a list of people', z.object({ people: z.array(person).min(2) })],
  ])('%s', (_, shape) => {
    const schema = z.toJSONSchema(shape, { reused: 'ref' });
    expect(shape.safeParse(sampleValue(schema, 'hello')).error).toBeUndefined();
  });
});

describe('a recursive schema', () => {
  test('ends at the first position that allows it', () => {
    const schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
            all: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['next', 'all'],
        },
      },
    };
    expectValid(schema);
    expect(JSON.stringify(sampleValue(schema, 'x')).length).toBeLessThan(500);
  });

  test('yields an empty object if it cannot end', () => {
    const endless = {
      $ref: '#/$defs/a',
      $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, required: ['a'] } },
    };
    expect(sampleValue(endless, 'x')).toEqual({});
    expect(sampleValue({ $ref: '#' }, 'x')).toEqual({});
    expect(sampleValue({ $ref: '#/nowhere' }, 'x')).toEqual({});
    expect(sampleValue({ allOf: [{ $ref: '#' }] }, 'x')).toEqual({});
  });

  test('is sampled within the effort limit', () => {
    const names = Array.from({ length: 20 }, (_, at) => `f${at}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/a' }]));
    for (const required of [names, []]) {
      const wide = {
        $ref: '#/$defs/a',
        $defs: {
          a: { type: 'object', properties, required: [] as string[] },
          b: { type: 'object', properties, required },
        },
      };
      expect(typeof sampleValue({ ...wide, $ref: '#/$defs/b' }, 'x')).toBe('object');
    }
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        {
          type: 'object',
          required: ['l', 'r'],
          properties: { l: { $ref: `#/$defs/d${at + 1}` }, r: { $ref: `#/$defs/d${at + 1}` } },
        },
      ]),
    );
    expect(sampleValue({ $ref: '#/$defs/d0', $defs: { ...doubling, d40: { type: 'null' } } }, 'x')).toEqual({});
  });
});

test.each([
  ['^abc$', 'abc'],
  ['^(?:foo|bar)-[0-9]{4}$', 'foo-0000'],
  ['^\\+?\\d{3}\\.\\w+\\s?$', '111.a'],
  ['[^a]b*', 'A'],
  ['^(?<year>\\d{4})$', '1111'],
  ['^[\\w.-]+@[a-z]+\\.com$', 'a@a.com'],
  ['x(y|z){2}?', 'xyy'],
  ['^(?=.*x).*$', undefined],
  ['(a)\\1', undefined],
  ['(unclosed', undefined],
  ['[unclosed', undefined],
  ['('.repeat(200), undefined],
])('the sample of the pattern %j is %j', (pattern, text) => {
  expect(samplePattern(pattern)).toBe(text);
});
