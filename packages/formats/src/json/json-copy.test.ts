import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonCopy } from './json-copy.ts';

/** Copies text in pieces. Returns the copy and how much of the text was consumed. */
function copied(text: string, options: { repair: boolean; size?: number; close?: boolean }) {
  const copy = new JsonCopy(options);
  let json = '';
  let taken = 0;
  const write = (piece: string) => void (json += piece);
  const size = options.size ?? text.length;
  for (let start = 0; start < text.length && !copy.isDone; start += size) {
    const piece = text.slice(start, start + size);
    for (let at = 0; at < piece.length && !copy.isDone; ) {
      const next = copy.take(piece, at, write);
      taken += next - at;
      at = next;
      if (copy.isDone || at === piece.length) break;
      copy.takeStray(write);
      at++;
      taken++;
    }
  }
  if (options.close) copy.close(write);
  return { json, taken, isDone: copy.isDone, hasRepaired: copy.hasRepaired };
}

test('the copy of any object is exact and stops at its end, in pieces of any size', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (value, size, repair) => {
        const json = JSON.stringify(value, undefined, 1);
        expect(copied(`${json} {"more": 1}`, { repair, size })).toEqual({
          json,
          taken: json.length,
          isDone: true,
          hasRepaired: false,
        });
      },
    ),
  );
});

test.each([
  ['{"a": [1, 2, ], "b": {"c": 3,\n}}', '{"a": [1, 2 ], "b": {"c": 3\n}}'],
  ['{"a": "x, }", "b": 1}', '{"a": "x, }", "b": 1}'],
  ['{"a": {"b": [1, 2', '{"a": {"b": [1, 2]}}'],
  ['{"a": 1,', '{"a": 1}'],
])('with repair, %j becomes %j', (broken, repaired) => {
  for (const size of [1, 3, broken.length]) {
    const read = copied(broken, { repair: true, size, close: true });
    expect(read.json).toBe(repaired);
    expect(() => JSON.parse(read.json)).not.toThrow();
    expect(copied(broken, { repair: false, size, close: true }).json).toBe(broken);
  }
});

test('the copy escapes raw control characters in strings even without repair', () => {
  const { json, hasRepaired } = copied('{"a":\n"x\ny\tz"}', { repair: false });
  expect([JSON.parse(json), hasRepaired]).toEqual([{ a: 'x\ny\tz' }, true]);
});

test('repair does not close a string, because the rest of its content is unknown', () => {
  expect(copied('{"a": "x', { repair: true, close: true }).json).toBe('{"a": "x');
});
