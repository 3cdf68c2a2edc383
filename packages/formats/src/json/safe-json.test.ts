import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasBackslashInName, isJson } from './safe-json.ts';

test.each([
  [String.raw`{"a\\b":1}`, true],
  [String.raw`{"a\u005cb":1}`, true],
  [String.raw`{"a\u005Cb" : 1}`, true],
  [String.raw`[{"x":{"\\":[]}}]`, true],
  [String.raw`{"a":"C:\\dir"}`, false],
  [String.raw`{"a":"x\\","b":1}`, false],
  [String.raw`{"a\"b":"\\:"}`, false],
  [String.raw`{"a\\u0062":1}`, true],
  [String.raw`{"a\u0050":"\\"}`, false],
  ['{"plain":1}', false],
])('%s', (text, expected) => {
  expect(hasBackslashInName(text)).toBe(expected);
  expect(isJson(text)).toBe(true);
  expect(isJson(text.slice(0, -1))).toBe(false);
});

test('names are distinguished from values, whatever they contain', () => {
  const word = fc.string({ unit: fc.constantFrom('\\', '"', ':', 'u', '0', 'a', '\n') });
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word)), (pairs) => {
      const text = `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
      expect(hasBackslashInName(text)).toBe(pairs.some(([name]) => name.includes('\\')));
    }),
  );
});
