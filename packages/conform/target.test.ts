import { expect, test } from 'vitest';
import { prefixOf, rootOf } from './target.ts';

test.each([
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
  ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080'],
  ['http://127.0.0.1:8080//v1//', 'http://127.0.0.1:8080'],
  ['https://example.com/gateway', 'https://example.com/gateway'],
  ['https://example.com/gateway/v1/', 'https://example.com/gateway'],
  ['https://example.com/gateway-v1', 'https://example.com/gateway-v1'],
])('the base URL %s has the root %s', (given, meant) => {
  expect(rootOf(given)).toBe(meant);
});

test.each([
  '',
  'example.com',
  'localhost:8080',
  'ftp://example.com',
  'http://a:b@example.com',
  'http://example.com/?x=1',
])('"%s" is rejected as the address of a deployment', (given) => {
  expect(() => rootOf(given)).toThrow(/address/);
});

test('a prefix has one leading slash and no trailing slash', () => {
  expect(['anthropic', '/anthropic', '//anthropic/', '/', ''].map(prefixOf)).toEqual([
    '/anthropic',
    '/anthropic',
    '/anthropic',
    '',
    '',
  ]);
});
