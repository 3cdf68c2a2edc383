import { assert as check, bigInt, constantFrom, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { minorUnit, unitsText } from '../../core/money.ts';
import { includedTax } from './included-tax.ts';

const unit = 1_000_000_000n;

test('the tax of an amount is the part that a price with tax includes', () => {
  expect(includedTax(20n * unit, '19', 'USD')).toBe((319n * unit) / 100n);
  expect(includedTax(1000n * unit, '10', 'JPY')).toBe(91n * unit);
  expect(includedTax(10n * unit, '7.25', 'KWD')).toBe((676n * unit) / 1000n);
  expect(includedTax(10n * unit, '0', 'USD')).toBe(0n);
  expect(includedTax(-20n * unit, '19', 'USD')).toBe((-319n * unit) / 100n);
});

test('the tax is a whole number of minor units, nearest to the exact value, and below the amount', () => {
  const amounts = bigInt({ min: 0n, max: 10n ** 18n });
  check(
    property(
      amounts,
      integer({ min: 0, max: 9999 }),
      constantFrom('USD', 'JPY', 'KWD'),
      (amount, hundredths, currency) => {
        const rate = BigInt(hundredths);
        const [tax, step] = [includedTax(amount, unitsText(rate, 2), currency), minorUnit(currency)];
        expect(tax % step).toBe(0n);
        // Exact: amount × rate ÷ (10000 + rate). Both sides are multiplied by the divisor.
        const error = tax * (10_000n + rate) - amount * rate;
        expect(2n * (error < 0n ? -error : error) <= (10_000n + rate) * step).toBe(true);
      },
    ),
  );
});
