import { expect, test } from 'vitest';
import { description, displayName } from './display-name.ts';

test.each([
  ['  Ada   Lovelace ', 'Ada Lovelace'],
  ['李小龙', '李小龙'],
  ['Zoe\u0301', 'Zo\u00e9'],
  ['👩‍👩‍👧‍👦 team 🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👩‍👩‍👧‍👦 team 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['مريم', 'مريم'],
  ['नमस्ते', 'नमस्ते'],
  ['👩‍👩‍👧‍👦'.repeat(32), '👩‍👩‍👧‍👦'.repeat(32)],
])('%j is a name', (typed, name) => {
  expect(displayName.parse(typed)).toBe(name);
});

test.each([
  ['', 'visible'],
  ['   ', 'visible'],
  ['\u200d\u200b', 'visible'],
  ['\u0301', 'visible'],
  ['a\u0000b', 'control'],
  ['a\u202eb', 'direction'],
  ['\u2066a\u2069', 'direction'],
  ['a\ud800b', 'control'],
  ['x'.repeat(65), 'at most 64 characters'],
  [`e${'\u0301'.repeat(600)}`, 'at most 512 UTF-16 code units'],
])('%j is not a name', (typed, why) => {
  const result = displayName.safeParse(typed);
  expect(result.error?.issues[0]?.message ?? 'taken').toContain(why);
});

test('a description is one paragraph in any script, within bounds', () => {
  expect(description.parse('  快速、便宜。\n  Fast and cheap 🚀 ')).toBe('快速、便宜。 Fast and cheap 🚀');
  expect(description.parse('字'.repeat(500))).toBe('字'.repeat(500));
  expect(description.safeParse('字'.repeat(501)).success).toBe(false);
  expect(description.safeParse(' ').success).toBe(false);
});
