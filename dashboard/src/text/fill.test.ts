import { expect, test } from 'vitest';
import { sections } from '../strings/index.ts';
import { fill } from './fill.ts';
import type { Pair } from './strings.ts';

test('numbers decide the English form and are written as the language writes them', () => {
  const rows: Pair = [{ one: '{count} row', other: '{count} rows' }, '{count} 行'];
  expect(fill(rows, 'en', { count: 1 })).toBe('1 row');
  expect(fill(rows, 'en', { count: 0 })).toBe('0 rows');
  expect(fill(rows, 'en', { count: 12_345 })).toBe('12,345 rows');
  expect(fill(rows, 'zh', { count: 1 })).toBe('1 行');
});

test('a value that looks like a place for another stays as it is', () => {
  expect(fill(['Join {account}', '加入 {account}'], 'en', { account: '{role}' })).toBe('Join {role}');
});

const named = (text: string) => new Set(text.match(/\{\w+\}/g));

test.each(Object.entries(sections))('the Chinese of %s says the same values as the English', (_name, section) => {
  for (const [english, chinese] of Object.values<Pair>(section)) {
    const form = typeof english === 'string' ? english : english.other;
    expect(named(chinese), chinese).toEqual(named(form));
    // Of one thing the number need not be said.
    if (typeof english !== 'string')
      expect([...named(form)], english.one).toEqual(expect.arrayContaining([...named(english.one)]));
  }
});
