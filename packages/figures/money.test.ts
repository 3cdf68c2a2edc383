import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalText, nanoFrom } from './money.ts';

test.each([
  [0n, '0.00'],
  [1n, '0.000000001'],
  [110_000_000_000n, '110.00'],
  [-2_500_000_000n, '-2.50'],
  [1_230_000_000n, '1.23'],
  [1_234_000_000n, '1.234'],
] as const)('%s nano-units are formatted as %s', (amount, text) => {
  expect(decimalText(amount)).toBe(text);
});

test('a formatted amount parses to the same nano-units', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (amount) => {
      expect(nanoFrom(decimalText(amount))).toBe(amount);
    }),
  );
});

test.each(['', '1.', '.5', '1e3', '0x1', '1.0000000001', ' 1', 'NaN'])('%j is not an amount', (text) => {
  expect(() => nanoFrom(text)).toThrow(RangeError);
});
