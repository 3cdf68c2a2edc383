import fc from 'fast-check';
import { priceOf } from '../../platform/config/schema/model-price.ts';
import { expect, test } from 'vitest';
import { modelsNamed } from './model-pattern.ts';

function model(id: string, ...aliases: string[]) {
  return {
    id,
    aliases,
    ownedBy: 'o',
    surfaces: [],
    contextWindow: undefined,
    maxOutputTokens: undefined,
    thinking: false,
    continue: 'never' as const,
    routes: [],
    price: priceOf('free'),
  };
}

const named = (patterns: string[], ...ids: string[]) => [
  ...modelsNamed(
    patterns,
    ids.map((id) => model(id)),
  ),
];

test('a pattern without a star matches exactly one model, by id or alias', () => {
  const models = [model('large-2026-01-01', 'large'), model('larger')];
  expect([...modelsNamed(['large'], models)]).toEqual(['large-2026-01-01']);
  expect([...modelsNamed(['large-2026-01-01'], models)]).toEqual(['large-2026-01-01']);
  expect([...modelsNamed(['Large'], models)]).toEqual([]);
});

test('a star matches any characters, also none', () => {
  expect(named(['*'], 'a', 'b')).toEqual(['a', 'b']);
  expect(named(['acme-*'], 'acme-', 'acme-x', 'acme')).toEqual(['acme-', 'acme-x']);
  expect(named(['*-mini'], 'x-mini', '-mini', 'mini')).toEqual(['x-mini', '-mini']);
  expect(named(['a*a'], 'a', 'aa', 'aba')).toEqual(['aa', 'aba']);
  expect(named(['a*b*b'], 'ab', 'abb', 'acbcb')).toEqual(['abb', 'acbcb']);
});

test('several patterns match the union of their models', () => {
  expect(named(['a', 'c*'], 'a', 'b', 'c1')).toEqual(['a', 'c1']);
  expect(named([], 'a')).toEqual([]);
});

test('a pattern matches the same names as the regular expression with .*', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 10 });
  fc.assert(
    fc.property(text, name, (pattern, candidate) => {
      const meaning = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      expect(named([pattern], candidate).length === 1).toBe(meaning.test(candidate));
    }),
  );
});

test('a pattern with many stars is not slow', () => {
  // With backtracking at every star, this would not terminate.
  expect(named([`${'*a'.repeat(120)}*b`], 'a'.repeat(250))).toEqual([]);
});
