import { expect, test } from 'vitest';
import { adminDocument } from '../src/manage/admin/openapi.ts';
import { typeOf, wireTypes } from './wire-types.ts';

test('every schema of the admin and account APIs becomes one exported type', () => {
  const declared = [...wireTypes().matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  expect(declared).toEqual(Object.keys(adminDocument('').components.schemas).toSorted());
});

test.each([
  [{ type: 'integer', minimum: 0 }, 'number'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['a', 'b', null] }, "'a' | 'b' | null"],
  [{ const: true }, 'true'],
  [{ anyOf: [{ const: 'now' }, { type: 'string' }] }, 'string'],
  [{ description: 'Anything.' }, 'unknown'],
  [{ $ref: '#/components/schemas/Key' }, 'Key'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Key' } }, 'readonly Key[]'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Readonly<Record<string, number>>'],
  [
    {
      type: 'object',
      properties: { a: { type: 'string', description: 'Said.' }, b: { type: 'boolean' } },
      required: ['a'],
      additionalProperties: false,
    },
    '{\n  /** Said. */\n  readonly a: string;\n  readonly b?: boolean;\n}',
  ],
])('%j is %s', (schema, type) => {
  expect(typeOf(schema, '')).toBe(type);
});

test('typeOf throws for an unknown schema', () => {
  expect(() => typeOf({ type: 'tuple' }, '')).toThrow('Unknown schema');
  expect(() => typeOf({ pattern: 'x' }, '')).toThrow('Unknown schema');
});
