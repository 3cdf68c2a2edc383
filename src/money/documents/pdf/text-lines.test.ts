import { assert as check, integer, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { textLines } from './text-lines.ts';

const measure = (text: string) => Array.from(text).length;

test('lines break at spaces, between Chinese characters, and within a word that is too long', () => {
  expect(textLines('one two three', 7, measure)).toEqual(['one two', 'three']);
  expect(textLines('世纪大道 100 号', 5, measure)).toEqual(['世纪大道', '100 号']);
  expect(textLines('a reference', 4, measure)).toEqual(['a', 'refe', 'renc', 'e']);
  expect(textLines('  ', 4, measure)).toEqual([]);
});

test('no line is too long, and no character but spaces is lost', () => {
  check(
    property(string({ unit: 'grapheme' }), integer({ min: 4, max: 20 }), (text, width) => {
      const lines = textLines(text, width, measure);
      expect(Math.max(0, ...lines.map(measure))).toBeLessThanOrEqual(width);
      const bare = (each: string) => each.replaceAll(/\s/gu, '');
      expect(bare(lines.join(''))).toBe(bare(text));
    }),
  );
});
