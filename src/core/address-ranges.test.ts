import { expect, test } from 'vitest';
import { addressRanges } from './address-ranges.ts';

test.each([
  ['10.1.2.3', '10.1.2.3', true],
  ['10.1.0.0/16', '10.1.2.3', true],
  ['10.1.0.0/16', '10.2.0.1', false],
  ['2001:db8::/32', '2001:db8::5', true],
  ['2001:db8::/32', '2001:db8::5%eth0', true],
  ['2001:db8::/32', '2001:db9::5', false],
  ['0.0.0.0/0', '::1', false],
  ['::/0', '10.1.2.3', false],
])('range %s contains %s: %s', (range, address, isIn) => {
  expect(addressRanges([range]).has(address)).toBe(isIn);
});

test.each(['::ffff:10.1.2.3', '::FFFF:10.1.0.0/112', '::ffff:a01:0/112', '0:0:0:0:0:ffff:10.1.2.3/128'])(
  'an IPv4-mapped IPv6 range counts as IPv4: %s',
  (range) => {
    expect(addressRanges([range]).has('10.1.2.3')).toBe(true);
    expect(addressRanges([range]).has('10.2.0.1')).toBe(false);
  },
);

test('the range of all IPv4-mapped addresses is an IPv6 range and does not match IPv4 addresses', () => {
  const ranges = addressRanges(['::ffff:0:0/96']);
  expect(ranges.has('::ffff:10.1.2.3')).toBe(true);
  expect(ranges.has('10.1.2.3')).toBe(false);
});
