import { expect, test } from 'vitest';
import { requestTags } from './request-tags.ts';

const tagsOf = (metadata: unknown, header?: string) => requestTags({ header, metadata });
const long = 'x'.repeat(80);

test.each([
  ['no metadata', undefined, undefined],
  ['metadata that is no object', 'text', undefined],
  ['pairs and plain tags', { team: 'search', tags: ['beta', 'beta', 7] }, ['team:search', 'beta']],
  ['values that are no strings', { depth: 3, nested: { a: 'b' }, none: null }, undefined],
  ['the end user', { user_id: 'kim' }, undefined],
  ['white space and control characters', { team: ' a\n\u0000b ', tags: [' ', ''] }, ['team: a b']],
  ['characters of other scripts', { tags: ['环境:生产'] }, ['环境:生产']],
])('tags of %s', (_, metadata, expected) => {
  expect(tagsOf(metadata)).toEqual(expected && { list: expected, isCut: false });
});

test('the header comes first, and a tag that both name counts once', () => {
  expect(tagsOf({ env: 'prod' }, 'team:search, env:prod,,')).toEqual({
    list: ['team:search', 'env:prod'],
    isCut: false,
  });
});

test('tags of metadata beyond the limits are cut', () => {
  const many = Array.from({ length: 20 }, (_, index) => `t${index}`);
  expect(tagsOf({ tags: many })).toEqual({ list: many.slice(0, 16), isCut: true });
  expect(tagsOf({ tags: [long] })).toEqual({ list: [long.slice(0, 64)], isCut: true });
  expect(tagsOf({ tags: [`${'x'.repeat(63)} ${long}`] })).toEqual({ list: ['x'.repeat(63)], isCut: true });
  const repeated = Array.from({ length: 10_000 }, () => 'same');
  expect(tagsOf({ tags: [...repeated, 'late'] })?.list).toEqual(['same']);
});

test.each([
  [Array.from({ length: 17 }, (_, index) => `t${index}`).join(), '17 tags; 16 are allowed'],
  [`short,${long}`, 'a tag of more than 64 characters'],
])('a header beyond the limits is refused', (header, text) => {
  expect(() => tagsOf(undefined, header)).toThrow(expect.objectContaining({ detail: expect.stringContaining(text) }));
});
