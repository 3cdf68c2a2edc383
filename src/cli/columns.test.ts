import { expect, test } from 'vitest';
import { columns } from './columns.ts';

test('columns are as wide as their longest cell, and lines have no spaces at their end', () => {
  expect(
    columns([
      ['A', 'BB', 'C'],
      ['long', 'x', ''],
      ['', '', 7],
    ]),
  ).toBe('A     BB  C\nlong  x\n          7');
});

test.each([
  ['Chinese characters take two columns', '额度，', 6],
  ['an emoji of several characters takes two', '👍🏽', 2],
  ['an accent of its own takes none', 'e\u0301', 1],
  ['colours take none', '\u001b[2mdim\u001b[22m', 3],
])('%s', (_, cell, width) => {
  expect(
    columns([
      [cell, 'x'],
      ['-'.repeat(10), 'x'],
    ]).split('\n')[0],
  ).toBe(`${cell}${' '.repeat(12 - width)}x`);
});

test('no rows are an empty text', () => {
  expect(columns([])).toBe('');
});
