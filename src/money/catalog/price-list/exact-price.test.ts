import { assert, bigInt, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { unitsText } from '../../../core/money.ts';
import { exactPrice, pricePlaces } from './exact-price.ts';

test.each([
  // Prices of a token. Most of these are wrong if a float is multiplied by 1e6.
  ['2.5e-06', 6, '2.50'],
  ['2.5E-6', 6, '2.50'],
  ['0.0000025', 6, '2.50'],
  ['1.1e-06', 6, '1.10'],
  ['5.5e-07', 6, '0.55'],
  ['7e-08', 6, '0.07'],
  ['2.9e-07', 6, '0.29'],
  ['1.15e-06', 6, '1.15'],
  ['3.3e-07', 6, '0.33'],
  ['1e-12', 6, '0.000001'],
  ['0.0', 6, '0.00'],
  ['-0.0', 6, '0.00'],
  ['0e-60', 6, '0.00'],
  ['25e-7', 6, '2.50'],
  ['1E+0', 6, '1000000.00'],
  ['-2.5e-06', 6, '-2.50'],
  // Prices of a million tokens.
  ['1.25', 0, '1.25'],
  ['0.075', 0, '0.075'],
  ['10', 0, '10.00'],
  ['1e1', 0, '10.00'],
  ['0.1000000000', 0, '0.10'],
])('%s × 10^%i is exactly %s', (literal, shift, text) => {
  const price = exactPrice(literal, shift);
  expect(price?.isRounded).toBe(false);
  expect(unitsText(price?.micro ?? -1n, pricePlaces)).toBe(text);
});

test.each([
  ['1.9999999999999998e-07', 6, '0.20'],
  ['8.0000000000000001e-07', 6, '0.800001'],
  ['1e-13', 6, '0.000001'],
  ['0.12345678', 0, '0.123457'],
])('%s × 10^%i has too many digits and is rounded up to %s', (literal, shift, text) => {
  const price = exactPrice(literal, shift);
  expect(price?.isRounded).toBe(true);
  expect(unitsText(price?.micro ?? -1n, pricePlaces)).toBe(text);
});

test.each(['', 'NaN', 'Infinity', '1e', '.5', '0x10', '1e999999999', '1e-61', '9'.repeat(65), '1,5'])(
  '"%s" is not a price',
  (literal) => {
    expect(exactPrice(literal, 6)).toBeUndefined();
  },
);

test('every spelling of a number gives the same price', () => {
  assert(
    property(
      bigInt({ min: 0n, max: 10n ** 12n }),
      integer({ min: -20, max: 20 }),
      integer({ min: 0, max: 6 }),
      (micro, exponent, shift) => {
        // `micro` units of 10^-6 after the shift, written with another exponent.
        const places = pricePlaces + shift + exponent;
        const digits = String(micro).padStart(Math.max(places, 0) + 1, '0');
        const written =
          places > 0 ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits + '0'.repeat(-places);
        expect(exactPrice(`${written}e${exponent}`, shift)).toEqual({ micro, isRounded: false });
      },
    ),
  );
});
