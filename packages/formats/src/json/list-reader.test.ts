import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListError, ListReader } from './list-reader.ts';

const limits = { depthMax: 10, charactersMax: 1000 };

function entriesOf(pieces: readonly string[], charactersMax = limits.charactersMax): unknown[] {
  const reader = new ListReader('requests', { ...limits, charactersMax });
  const entries = pieces.flatMap((piece) => reader.push(piece));
  reader.end();
  return entries.map((entry) => JSON.parse(entry));
}

test('the reader finds the entries of the list for every division into pieces', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(fc.array(value), value, fc.integer({ min: 1, max: 7 }), fc.boolean(), (list, other, size, isPretty) => {
      const text = JSON.stringify({ first: other, requests: list, last: other }, undefined, isPretty ? 2 : undefined);
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      // A random value has no greatest length.
      expect(entriesOf(pieces, text.length)).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
});

test.each([
  ['{"requests":[1,2', 'ends before it is complete'],
  ['{"requests":[1,]}', 'not valid JSON'],
  ['{"requests":[{"a":tru}]}', 'not valid JSON'],
  ['{"requests":[]} x', 'not valid JSON'],
  ['{"requests":{}}', 'that is not a list'],
  ['{"requests":[],"requests":[]}', 'two members'],
  ['{"other":[]}', 'has no member requests'],
  ['[]', 'not valid JSON'],
  ['', 'ends before it is complete'],
])('the reader refuses %s', (text, words) => {
  expect(() => entriesOf([text])).toThrow(words);
  expect(() => entriesOf([...text])).toThrow(words);
});

test('an error inside an entry names its index, and a long entry is refused before it is complete', () => {
  const reader = new ListReader('requests', limits);
  expect(reader.push('{"requests":[{},{},"')).toEqual(['{}', '{}']);
  const failing = (): unknown => Array.from({ length: 20 }, () => reader.push('x'.repeat(100)));
  expect(failing).toThrow(expect.objectContaining({ index: 2, message: 'is longer than 1000 characters' }));
  expect(new ListError('x').index).toBeUndefined();
});
