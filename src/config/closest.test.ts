import { expect, test } from 'vitest';
import { closest, suggestion } from './closest.ts';

test('a typing slip finds the word that was meant', () => {
  const words = ['upstreams', 'models', 'packages', 'port'];
  expect(['upstream', 'modles', 'pakcages', 'prot', 'PORT'].map((word) => closest(word, words))).toEqual([
    'upstreams',
    'models',
    'packages',
    'port',
    'port',
  ]);
});

test('a word unlike all others finds none', () => {
  expect(closest('zebra', ['upstreams', 'models'])).toBeUndefined();
  expect(closest('x', [])).toBeUndefined();
});

test('without a likely word the short list of possible ones is named', () => {
  expect(suggestion('zebra', ['host', 'port'])).toBe('Known here: `host`, `port`.');
  expect(
    suggestion(
      'zebra',
      Array.from({ length: 100 }, (_, index) => `name-${index}`),
    ),
  ).toBe('');
});
