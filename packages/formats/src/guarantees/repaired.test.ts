import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import { validateAndRepair } from './validate-and-repair.ts';
import { repairToSchema } from './repaired.ts';
import { schemaCompiler } from './validator.ts';

const compile = schemaCompiler();

type Schema = Readonly<Record<string, unknown>>;

/** Schemas as developers write them for tools, with references, alternatives with `null` and optional members. */
const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Schema>(
      { type: 'string' },
      { type: 'number' },
      { type: 'integer' },
      { type: 'boolean' },
      { type: ['string', 'null'] },
      { type: ['number', 'null'] },
      { type: 'string', nullable: true },
      { enum: ['a', 5, null] },
      { $ref: '#/$defs/count' },
      { anyOf: [{ $ref: '#/$defs/count' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      {
        anyOf: [
          { type: 'object', properties: { a: { const: 'a' }, b: { type: 'integer' } }, required: ['a', 'b'] },
          { type: 'object', properties: { a: { enum: ['5', ''] }, b: { type: 'string' } }, required: ['a'] },
        ],
      },
      {},
    ),
    tie('schema').map((items): Schema => ({ type: 'array', items })),
    fc.tuple(tie('schema'), tie('schema'), fc.subarray(['a', 'b']), fc.boolean()).map(
      ([a, b, required, additionalProperties]): Schema => ({
        type: 'object',
        properties: { a, b },
        required,
        additionalProperties,
      }),
    ),
  ),
}));
const schemas = anySchema.map((schema): Schema => ({ ...schema, $defs: { count: { type: 'integer' } } }));

const anyLeaf = fc.constantFrom<unknown>(
  '5',
  5,
  5.5,
  '5.5',
  'true',
  true,
  null,
  'null',
  'a',
  '',
  '{"a":1}',
  '[1]',
  '12345678901234567890',
);

/** Values that are independent of the schema. */
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    anyLeaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.record({ a: tie('value'), b: tie('value') }, { requiredKeys: [] }),
  ),
}));

const nearly: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.constantFrom('a', 5),
  number: fc.constantFrom(5.5, '5.5'),
  integer: fc.constantFrom(5, '5'),
  boolean: fc.constantFrom(true, 'true'),
};

/** Values as models write them: in the shape of the schema, with some wrong types. */
function writtenFor(schema: Schema): fc.Arbitrary<unknown> {
  if (schema['type'] === 'array') return fc.array(writtenFor(schema['items'] as Schema), { maxLength: 3 });
  if (schema['type'] !== 'object') return fc.oneof(anyLeaf, nearly[String(schema['type'])] ?? anyLeaf);
  const { a, b } = schema['properties'] as Record<'a' | 'b', Schema>;
  return fc.record({ a: writtenFor(a), b: writtenFor(b) }, { requiredKeys: [] });
}

const schemasWithValues = schemas.chain((schema) =>
  fc.tuple(fc.constant(schema), fc.oneof(anyValue, writtenFor(schema))),
);

/** A fixed sample, so that the number of values of each kind is always the same. */
const drawn = fc.sample(schemasWithValues, { numRuns: 100, seed: 1 });

test('a value that fits is not changed', () => {
  const doesFit = ([schema, value]: (typeof drawn)[number]) => compile(schema).misfit(value) === undefined;
  fc.assert(
    fc.property(schemasWithValues, (one) => {
      const [schema, value] = one;
      if (doesFit(one)) expect(repairToSchema(value, schema)).toEqual(value);
    }),
    { numRuns: isDeep ? 400 : 50 },
  );
  expect(drawn.filter(doesFit).length).toBeGreaterThan(5);
});

test('a repaired value fits its schema, or there is no repair', () => {
  const fittedTo = ([schema, value]: (typeof drawn)[number]) =>
    validateAndRepair(JSON.stringify(value), compile(schema));
  fc.assert(
    fc.property(schemasWithValues, (one) => {
      const { words, json } = fittedTo(one);
      if (json !== undefined) expect(compile(one[0]).misfit(JSON.parse(json))).toBeUndefined();
      if (words === undefined) expect(json).toBe(JSON.stringify(one[1]));
    }),
    { numRuns: isDeep ? 400 : 50 },
  );
  const repairs = drawn.map(fittedTo).filter(({ words, json }) => words !== undefined && json !== undefined);
  expect(repairs.length).toBeGreaterThan(0);
});

const list = { type: 'array', items: { type: 'object' } };
const shape = (kind: object, type: string) => ({ properties: { kind, size: { type } } });
const shapes = [shape({ const: 'box' }, 'integer'), { $ref: '#/$defs/word' }, { type: 'string' }];
const choice = { $defs: { word: { type: 'object', ...shape({ enum: ['word', 'text'] }, 'string') } } };
test.each([
  ['text where only an integer is allowed', { type: 'integer' }, '5', 5],
  ['a fraction is not an integer', { type: 'integer' }, '5.5', '5.5'],
  ['a number that would lose digits', { type: 'integer' }, '12345678901234567890', '12345678901234567890'],
  ['a boolean as text', { type: 'boolean' }, 'true', true],
  ['a number where only text is allowed', { type: 'string' }, 5, '5'],
  ['one object for a list of objects', list, { a: 1 }, [{ a: 1 }]],
  ['one text for a list of texts could be several', { type: 'array', items: { type: 'string' } }, 'a, b', 'a, b'],
  ['an object encoded twice', { type: 'object' }, '{"a":1}', { a: 1 }],
  ['text where text is also allowed', { type: ['number', 'string'] }, '5', '5'],
  ['null for an optional member', { properties: { a: { type: 'string' } } }, { a: null }, {}],
  [
    'null where null is an alternative',
    { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    { a: null },
    { a: null },
  ],
  [
    'null where the schema is nullable',
    { properties: { a: { type: 'string', nullable: true } } },
    { a: null },
    { a: null },
  ],
  ['null for a required member', { properties: { a: { type: 'string' } }, required: ['a'] }, { a: null }, { a: null }],
  [
    'the alternative that a text names',
    { ...choice, anyOf: shapes },
    { kind: 'box', size: '3' },
    { kind: 'box', size: 3 },
  ],
  [
    'the only remaining alternative',
    { ...choice, oneOf: shapes },
    { kind: 'text', size: 3 },
    { kind: 'text', size: '3' },
  ],
  ['no repair if several alternatives remain', { ...choice, anyOf: shapes }, { size: '3' }, { size: '3' }],
  [
    'no repair if no alternative remains',
    { ...choice, anyOf: shapes },
    { kind: 'ball', size: '3' },
    { kind: 'ball', size: '3' },
  ],
  [
    'a name that JavaScript objects inherit',
    { properties: {} },
    JSON.parse('{"__proto__":1}'),
    JSON.parse('{"__proto__":1}'),
  ],
])('%s', (_, schema, value, meant) => {
  expect(repairToSchema(value, schema)).toEqual(meant);
});
