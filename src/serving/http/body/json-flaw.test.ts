import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJson } from 'chat-formats/json/safe-json.ts';
import { findJsonFlaw } from './json-flaw.ts';

test.each([
  ['{"a":1,}', 1, 8],
  ['{"a":1', 1, 7],
  ['{"a" 1}', 1, 6],
  ['{a:1}', 1, 2],
  ['[1 2]', 1, 4],
  ['[1,]', 1, 4],
  ['[1}', 1, 3],
  ['{]', 1, 2],
  ['{}{}', 1, 3],
  ['nul', 1, 1],
  ['01', 1, 2],
  ['1.', 1, 2],
  ['+1', 1, 1],
  ['NaN', 1, 1],
  ['"a\nb"', 1, 3],
  ['"a\\qb"', 1, 3],
  ['"\\u12g4"', 1, 2],
  ['"open', 1, 6],
  ['{\n  "a": x\n}', 2, 8],
  ['\n\n\n  ]', 4, 3],
  ['', 1, 1],
])('%j has a syntax error at line %i, column %i', (text, line, column) => {
  expect(findJsonFlaw(text)).toMatchObject({ line, column });
});

test('a truncated text is distinguished from an invalid one', () => {
  for (const text of ['', '{', '[1,', '{"a":', '{"a', '[[]']) expect(findJsonFlaw(text)?.isTruncated).toBe(true);
  for (const text of ['}', '{,', 'x', '[1}']) expect(findJsonFlaw(text)?.isTruncated).toBe(false);
});

test('a text has a flaw exactly if JSON.parse rejects it', () => {
  const anyText = fc.array(
    fc.constantFrom(...Array.from('{}[]",:\\ \n\t0123-+.eE truefalsn'), '"a"', 'null', '\u0000', '早'),
    {
      maxLength: 12,
    },
  );
  const damaged = fc.tuple(fc.json(), fc.nat(), anyText).map(([json, at, noise]) => {
    const position = at % (json.length + 1);
    return json.slice(0, position) + noise.slice(0, 2).join('') + json.slice(position);
  });
  fc.assert(
    fc.property(
      fc.oneof(
        anyText.map((parts) => parts.join('')),
        damaged,
        fc.json(),
      ),
      (text) => {
        expect(findJsonFlaw(text) === undefined).toBe(isJson(text));
      },
    ),
    { numRuns: 1000 },
  );
});
