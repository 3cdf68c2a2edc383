import { describe, expect, test } from 'vitest';
import { differences } from './difference.ts';

describe('differences', () => {
  test('returns the fields that differ, by path', () => {
    expect(
      differences({ name: 'a', spec: { weight: 1, models: ['*'] } }, { name: 'a', spec: { weight: 4, models: ['*'] } }),
    ).toEqual([{ path: 'spec.weight', before: '1', after: '4' }]);
  });

  test('treats a list of primitive values as one value', () => {
    expect(differences({ models: ['a', 'b'] }, { models: ['a', 'c'] })).toEqual([
      { path: 'models', before: 'a, b', after: 'a, c' },
    ]);
  });

  test('compares the documents inside a list', () => {
    expect(differences({ routes: [{ upstream: 'x' }] }, { routes: [{ upstream: 'y' }] })).toEqual([
      { path: 'routes.0.upstream', before: 'x', after: 'y' },
    ]);
  });

  test('returns every field of a created or removed document', () => {
    expect(differences(null, { id: 'a', at: null })).toEqual([{ path: 'id', before: undefined, after: 'a' }]);
    expect(differences({ id: 'a' }, null)).toEqual([{ path: 'id', before: 'a', after: undefined }]);
  });

  test('returns nothing for equal documents', () => {
    expect(differences({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
  });
});
