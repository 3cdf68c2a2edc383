import fc from 'fast-check';
import { expect, test } from 'vitest';
import { optionsFor, readMarkup } from '../../../../test/fixtures/dialects/markup/read-markup.ts';
import { MarkupReader } from './markup-reader.ts';

/** Returns the text and the reasoning of a stream of pieces. */
function read(...pieces: readonly string[]): { text: string; reasoning: string } {
  const { content, reasoning } = readMarkup(pieces, { tools: [] });
  return { text: content, reasoning };
}

test.each([
  ['<think>hm</think>hello', 'hm', 'hello'],
  ['\n <think>\nhm\n</think>\n\nhello ', 'hm\n', 'hello '],
  ['<think>\n\n</think>\n\nhello', '', 'hello'],
  ['<think>never closed', 'never closed', ''],
  ['<think>a</think>b<think>c</think>', 'a', 'b<think>c</think>'],
  ['<think>a</thi', 'a</thi', ''],
  ['<think>a < b </thinker> c</think>d', 'a < b </thinker> c', 'd'],
  ['hello <think>x</think>', '', 'hello <think>x</think>'],
  ['<thinking>x', '', '<thinking>x'],
  ['<th', '', '<th'],
  ['  \n', '', '  \n'],
  [`${' '.repeat(65)}<think>x</think>`, '', `${' '.repeat(65)}<think>x</think>`],
  ['', '', ''],
])('%j is reasoning %j and text %j', (all, reasoning, text) => {
  expect(read(all)).toEqual({ reasoning, text });
  expect(read(...all)).toEqual({ reasoning, text });
});

test('pieces of any size give the same result', () => {
  const bit = fc.constantFrom('<think>', '</think>', '<', 'think>', ' ', '\n', 'a', '</', ' '.repeat(40));
  fc.assert(
    fc.property(fc.array(bit), (bits) => {
      expect(read(...bits.join(''))).toEqual(read(bits.join('')));
      expect(read(...bits)).toEqual(read(bits.join('')));
    }),
  );
});

test('text is passed on as soon as it cannot be a tag, and later text is not held', () => {
  const reader = new MarkupReader(optionsFor({ tools: [] }));
  expect(reader.push(' <', 'content')).toEqual([]);
  expect(reader.push('b', 'content')).toEqual([{ type: 'text-delta', choice: 0, text: ' <b' }]);
  expect(reader.passes('<think>', 'content')).toBe(true);
});

test('tags stay in the text if the provider separates reasoning itself', () => {
  const reader = new MarkupReader(optionsFor({ tools: [] }));
  const events = [reader.push('<', 'content'), reader.push('x', 'reasoning'), reader.push('think>x', 'content')];
  expect([...events.flat(), ...reader.end('stop')]).toEqual([
    { type: 'text-delta', choice: 0, text: '<' },
    { type: 'reasoning-delta', choice: 0, text: 'x' },
    { type: 'text-delta', choice: 0, text: 'think>x' },
  ]);
});
