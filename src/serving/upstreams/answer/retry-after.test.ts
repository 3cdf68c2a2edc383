import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['7', 7000],
  ['0.5', 500],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['soon', undefined],
  ['-3', undefined],
  ['1e9', undefined],
  ['', undefined],
  [undefined, undefined],
])('a Retry-After of %j is a wait of %j ms', (header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});
