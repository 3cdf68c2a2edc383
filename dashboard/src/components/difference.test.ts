import { describe, expect, test } from 'vitest';
import { differences } from './difference.ts';

describe('differences', () => {
  test('names the fields that are not the same, by their path', () => {
    expect(
      differences({ name: 'a', spec: { weight: 1, models: ['*'] } }, { name: 'a', spec: { weight: 4, models: ['*'] } }),
    ).toEqual([{ path: 'spec.weight', before: '1', after: '4' }]);
  });

  test('takes a list of plain values as one value', () => {
    expect(differences({ models: ['a', 'b'] }, { models: ['a', 'c'] })).toEqual([
      { path: 'models', before: 'a, b', after: 'a, c' },
    ]);
  });

  test('looks into lists of documents', () => {
    expect(differences({ routes: [{ upstream: 'x' }] }, { routes: [{ upstream: 'y' }] })).toEqual([
      { path: 'routes.0.upstream', before: 'x', after: 'y' },
    ]);
  });

  test('shows every field of what was made or removed', () => {
    expect(differences(null, { id: 'a', at: null })).toEqual([{ path: 'id', before: undefined, after: 'a' }]);
    expect(differences({ id: 'a' }, null)).toEqual([{ path: 'id', before: 'a', after: undefined }]);
  });

  test('finds nothing between equals', () => {
    expect(differences({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
  });
});
