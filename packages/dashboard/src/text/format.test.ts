import { expect, test } from 'vitest';
import { formatOf, tokenFlow } from './format.ts';

const format = formatOf('en-US', 'Asia/Kathmandu');

test('money keeps its significant digits, also for a long balance', () => {
  expect(format.money('12', 'USD')).toBe('$12.00');
  expect(format.money('0', 'USD')).toBe('$0.00');
  expect(format.money('0.0421', 'USD')).toBe('$0.0421');
  expect(format.money('0.000012', 'USD')).toBe('$0.000012');
  expect(format.money('-3.5', 'USD')).toBe('-$3.50');
  expect(format.money('0.000000001', 'USD')).toBe('$0.000000001');
  expect(format.money('4.999962', 'USD')).toBe('$4.99');
  expect(format.money('-4.999962', 'USD')).toBe('-$4.99');
  expect(format.exactMoney('4.999962', 'USD')).toBe('$4.999962');
  expect(format.exactMoney('0.000038125', 'USD')).toBe('$0.000038125');
  expect(format.money('90071992547409931.27', 'USD')).toBe('$90,071,992,547,409,931.27');
});

test('an amount in a unit that is not a currency has no currency sign', () => {
  expect(format.money('1200.5', 'credits')).toBe('1,200.50');
});

test('a duration is written in milliseconds, seconds, or minutes and seconds', () => {
  expect(format.duration(840)).toBe('840ms');
  expect(format.duration(3210)).toBe('3.21s');
  expect(format.duration(250_000)).toBe('4m 10s');
});

test('relative times count from now', () => {
  const now = Date.parse('2026-01-02T12:00:00Z');
  expect(format.relative('2026-01-02T11:57:00Z', now)).toBe('3 minutes ago');
  expect(format.relative('2026-01-01T12:00:00Z', now)).toBe('yesterday');
  expect(format.relative('2026-01-02T14:00:00Z', now)).toBe('in 2 hours');
  expect(formatOf('zh-CN', 'Asia/Shanghai').relative(now, now)).toBe('刚刚');
});

test('an age is short, and a date after a day', () => {
  const now = Date.parse('2026-01-02T12:00:00Z');
  expect(format.age('2026-01-02T11:59:48Z', now)).toBe('12s ago');
  expect(format.age('2026-01-02T12:00:00Z', now)).toBe('now');
  expect(format.age('2026-01-01T11:59:00Z', now)).toBe('Jan 1, 2026');
  expect(format.age('2026-01-05T12:00:00Z', now)).toBe('in 3 days');
  expect(formatOf('zh-CN', 'Asia/Shanghai').age('2026-01-02T11:57:00Z', now)).toBe('3分钟前');
  expect(format.zonedTime('2026-01-02T12:00:00Z')).toBe('Jan 2, 2026, 05:45:00 PM GMT+5:45');
});

test('a small count is written in full and a large one is abbreviated', () => {
  expect(format.compact(9_999)).toBe('9,999');
  expect(format.compact(1_234_567)).toBe('1.2M');
});

test('times are written in the chosen time zone', () => {
  expect(format.time('2026-01-02T12:00:00Z')).toBe('05:45 PM');
  expect(format.shortDate('2026-01-02T18:30:00Z')).toBe('Jan 3');
});

test.each([
  [7, 3, '7 → 3'],
  [7, null, '7 → –'],
  [0, 0, '0 → 0'],
  [null, null, '–'],
])('tokens %s and %s are shown as %s', (prompt, completion, shown) => {
  expect(tokenFlow(prompt, completion, String)).toBe(shown);
});
