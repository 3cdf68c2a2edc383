import { expect, test } from 'vitest';
import { closest, suggestion } from './closest.ts';

test('a mistyped word finds the closest word', () => {
  const words = ['upstreams', 'models', 'packages', 'port'];
  expect(['upstream', 'modles', 'pakcages', 'prot', 'PORT'].map((word) => closest(word, words))).toEqual([
    'upstreams',
    'models',
    'packages',
    'port',
    'port',
  ]);
});

test('a word that is not close to any candidate finds none', () => {
  expect(closest('zebra', ['upstreams', 'models'])).toBeUndefined();
  expect(closest('x', [])).toBeUndefined();
});

test('if no candidate is close, the suggestion lists them, but only a short list', () => {
  expect(suggestion('zebra', ['host', 'port'])).toBe('Known names: `host`, `port`.');
  expect(
    suggestion(
      'zebra',
      Array.from({ length: 100 }, (_, index) => `name-${index}`),
    ),
  ).toBe('');
});
