import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../test/depth.ts';
import { scaledDecimal } from './decimal-text.ts';
import { Ratio } from './one-api/ratio.ts';

const numRuns = isDeep ? 50_000 : 2_000;

test.each([
  ['0', 0n, true],
  ['12.5', 12_500_000_000n, true],
  ['-3', -3_000_000_000n, true],
  ['1.5e-07', 150n, true],
  ['2E+3', 2_000_000_000_000n, true],
  ['.5', 500_000_000n, true],
  ['0.0000000005', 1n, false],
  ['0.00000000049', 0n, false],
  ['-0.0000000005', -1n, false],
  ['0.1000000000000000055511151231257827', 100_000_000n, false],
])('%s is %s nano-units', (text, value, isExact) => {
  expect(scaledDecimal(text, 9)).toEqual({ value, isExact });
});

test.each(['', '.', 'NaN', 'Infinity', '1,5', '0x10', '1e999', '--1', '1 2'])('%j is not an amount', (text) => {
  expect(scaledDecimal(text, 9)).toBeUndefined();
});

test('an amount with at most nine places is the same after it was written and read', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.integer({ min: -12, max: 12 }),
      (digits, power) => {
        const written = `${digits}e${power}`;
        const exact = digits * 10n ** BigInt(power + 12);
        const read = scaledDecimal(written, 12);
        expect(read).toEqual({ value: exact, isExact: true });
      },
    ),
    { numRuns },
  );
});

test('the shortest text of a float is read as the decimal that it shows, never as the float', () => {
  fc.assert(
    fc.property(fc.integer({ min: -999_999_999, max: 999_999_999 }), (micro) => {
      // A float of six places: a product with 1e9 would be wrong for some of them.
      const float = micro / 1_000_000;
      expect(scaledDecimal(String(float), 9)?.value).toBe(BigInt(micro) * 1000n);
    }),
    { numRuns },
  );
});

test('an amount of quota is rounded down, and says whether it is exact', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
      fc.bigInt({ min: 1n, max: 10n ** 7n }),
      (quota, unit) => {
        const { value, isExact } = new Ratio(1_000_000_000n, unit).ofAmount(quota);
        const rest = quota * 1_000_000_000n - value * unit;
        expect(rest >= 0n && rest < unit).toBe(true);
        expect(isExact).toBe(rest === 0n);
      },
    ),
    { numRuns },
  );
});
