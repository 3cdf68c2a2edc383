import { expect, test } from 'vitest';
import { lengthText, momentText, relativeText } from './time-text.ts';

const now = new Date(2026, 10, 15, 2, 34, 10).getTime();

test('a time is shown as local time and relative to now', () => {
  expect(momentText(now - 3 * 60_000, now)).toBe('2026-11-15 02:31:10 (3 minutes ago)');
});

test.each([
  [0, 'just now'],
  [-999, 'just now'],
  [-1000, '1 second ago'],
  [-90 * 60_000, '1 hour ago'],
  [30 * 86_400_000 - 5, 'in 30 days'],
])('%i ms from now is %s', (difference, text) => {
  expect(relativeText(now + difference, now)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [849.6, '850 ms'],
  [12_400, '12.4 s'],
  [200_000, '3 min 20 s'],
])('%d ms are %s', (ms, text) => {
  expect(lengthText(ms)).toBe(text);
});
