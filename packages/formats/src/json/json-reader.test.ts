import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJson } from './safe-json.ts';
import { JsonReader, readJson } from './json-reader.ts';

/** Nearly JSON: real values with a few characters inserted, removed or replaced. */
const nearlyJson = fc
  .tuple(
    fc.jsonValue({ maxDepth: 3 }),
    fc.array(
      fc.tuple(fc.nat(), fc.nat(1), fc.constantFrom('', ',', '"', '}', ']', '{', '0', '-', 'e', '\\', '\n', ' ')),
    ),
  )
  .map(([value, edits]) => {
    const text = JSON.stringify(value, undefined, 1);
    return edits.slice(0, 3).reduce((sum, [at, gone, put]) => {
      const where = at % (sum.length + 1);
      return sum.slice(0, where) + put + sum.slice(where + gone);
    }, text);
  });

function pieces(text: string, sizes: readonly number[]): string[] {
  const cut: string[] = [];
  for (let at = 0, index = 0; at < text.length; index++) {
    const size = (sizes[index % sizes.length] ?? 0) + 1;
    cut.push(text.slice(at, at + size));
    at += size;
  }
  return cut;
}

test('the reader accepts exactly what JSON.parse accepts', () => {
  fc.assert(
    fc.property(nearlyJson, (text) => {
      expect(readJson(text).isComplete).toBe(isJson(text));
    }),
    { numRuns: 250 },
  );
});

test('any pieces give the same result at the same character', () => {
  const judged = (parts: readonly string[]) => {
    const reader = new JsonReader();
    let read = 0;
    for (const part of parts) read += reader.push(part);
    return [read, reader.isDone, reader.words, reader.end(), reader.words, reader.hasExactNumbers];
  };
  fc.assert(
    fc.property(nearlyJson, fc.array(fc.nat(3), { minLength: 1 }), (text, sizes) => {
      expect(judged(pieces(text, sizes))).toEqual(judged([text]));
    }),
  );
});

test('a text without an error so far can still become JSON', () => {
  // Every accepted prefix has a valid continuation.
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.nat(), (value, at) => {
      const text = JSON.stringify(value);
      const reader = new JsonReader();
      reader.push(text.slice(0, at % (text.length + 1)));
      expect(reader.words).toBeUndefined();
    }),
  );
});

test('endless blanks and endless nesting are errors', () => {
  expect(readJson(`{"a":${' '.repeat(1025)}1}`).words).toMatch('blanks in a row');
  expect(readJson(`{"a":${' '.repeat(1024)}1}`).isComplete).toBe(true);
  expect(readJson('['.repeat(129)).words).toMatch('nested deeper than 128');
  expect(readJson('['.repeat(128) + ']'.repeat(128)).isComplete).toBe(true);
});

test('a number is exact if it is the same after parsing and serialising', () => {
  expect(readJson('[1, 2.5, 123456789012345]').hasExactNumbers).toBe(true);
  expect(readJson('12345678901234567890').hasExactNumbers).toBe(false);
});
