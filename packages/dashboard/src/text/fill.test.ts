import { expect, test } from 'vitest';
import { sections } from '../strings/index.ts';
import { fill } from './fill.ts';
import type { Pair } from './strings.ts';

test('a count selects the English form, and numbers are formatted for the language', () => {
  const rows: Pair = [{ one: '{count} row', other: '{count} rows' }, '{count} 行'];
  expect(fill(rows, 'en', { count: 1 })).toBe('1 row');
  expect(fill(rows, 'en', { count: 0 })).toBe('0 rows');
  expect(fill(rows, 'en', { count: 12_345 })).toBe('12,345 rows');
  expect(fill(rows, 'zh', { count: 1 })).toBe('1 行');
});

test('a value that looks like a placeholder is not replaced again', () => {
  expect(fill(['Join {account}', '加入 {account}'], 'en', { account: '{role}' })).toBe('Join {role}');
});

const named = (text: string) => new Set(text.match(/\{\w+\}/g));

test.each(Object.entries(sections))(
  'the Chinese texts of %s have the same placeholders as the English ones',
  (_name, section) => {
    for (const [english, chinese] of Object.values<Pair>(section)) {
      const form = typeof english === 'string' ? english : english.other;
      expect(named(chinese), chinese).toEqual(named(form));
      // The singular form may leave the number out.
      if (typeof english !== 'string')
        expect([...named(form)], english.one).toEqual(expect.arrayContaining([...named(english.one)]));
    }
  },
);
