import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ThinkTag } from './think-tag.ts';

/** Text and reasoning of a stream of pieces. */
function read(...pieces: readonly string[]): { text: string; reasoning: string } {
  const said = { text: '', reasoning: '' };
  const tag = new ThinkTag();
  const sink = (type: 'text-delta' | 'reasoning-delta', text: string) => {
    expect(text).not.toBe('');
    said[type === 'text-delta' ? 'text' : 'reasoning'] += text;
  };
  for (const piece of pieces) tag.push(piece, sink);
  tag.end(sink);
  return said;
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

test('pieces of any size say the same', () => {
  const bit = fc.constantFrom('<think>', '</think>', '<', 'think>', ' ', '\n', 'a', '</', ' '.repeat(40));
  fc.assert(
    fc.property(fc.array(bit), (bits) => {
      expect(read(...bits.join(''))).toEqual(read(bits.join('')));
      expect(read(...bits)).toEqual(read(bits.join('')));
    }),
  );
});

test('text is plain as soon as it cannot be a tag, and nothing is held any longer', () => {
  const tag = new ThinkTag();
  const said: string[] = [];
  tag.push(' <', (_, text) => said.push(text));
  expect([tag.isPlain, said]).toEqual([false, []]);
  tag.push('b', (_, text) => said.push(text));
  expect([tag.isPlain, said]).toEqual([true, [' <b']]);
});

test('a provider that marks reasoning itself keeps its tags in the text', () => {
  const tag = new ThinkTag();
  const said: string[] = [];
  const sink = (type: string, text: string) => said.push(`${type} ${text}`);
  tag.push('<', sink);
  tag.standDown(sink);
  tag.push('think>x', sink);
  expect(said).toEqual(['text-delta <', 'text-delta think>x']);
});
