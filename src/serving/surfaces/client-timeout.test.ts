import { expect, test } from 'vitest';
import { clientTimeoutMs } from './client-timeout.ts';

test.each([
  ['600', 595_000],
  ['60', 55_000],
  ['10', 9000],
  ['0.5', 450],
])('a client with a timeout of %s seconds gets an error shortly before', (header, timeoutMs) => {
  expect(clientTimeoutMs(header)).toBe(timeoutMs);
});

test.each([undefined, '', '0', '0.0', '-1', 'abc', '10s', '1e3', 'NaN', 'Infinity', ' 5', '5, 5', '9'.repeat(10)])(
  'the header %s is ignored',
  (header) => {
    expect(clientTimeoutMs(header)).toBeUndefined();
  },
);
