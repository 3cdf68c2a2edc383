import { expect, test } from 'vitest';
import { priceSegments } from './price-expression.ts';

/** Each segment as `length: prices`. */
function read(expression: string): readonly string[] | undefined {
  return priceSegments(expression)?.map(({ promptOver, fields }) => {
    const prices = [...fields].map(([field, price]) => `${field} ${price.roundedUp(6).text}`);
    return `${promptOver}: ${prices.join(', ')}`;
  });
}

test('an expression of prices per token is read, with its numbers on either side', () => {
  expect(read('tier("base", p * 2.5 + 15 * c + cr*0.25 + cc * 3.125 + cc1h * 5e0)')).toEqual([
    '0: input 2.50, output 15.00, cached_input 0.25, cache_write_5m 3.125, cache_write_1h 5.00',
  ]);
});

test.each([
  ['len <= 200000 ? tier("a", p*1 + c*2) : tier("b", p*3 + c*4)'],
  ['len < 200001 ? tier("a", p*1 + c*2) : tier("b", p*3 + c*4)'],
  ['len > 200000 ? tier("b", p*3 + c*4) : tier("a", p*1 + c*2)'],
  ["(len >= 200001 ? (tier('b', p*3 + c*4)) : tier('a', p*1 + c*2))"],
])('a condition on the length of the prompt separates prices: %s', (expression) => {
  expect(read(expression)).toEqual(['0: input 1.00, output 2.00', '200000: input 3.00, output 4.00']);
});

test('conditions in conditions give prices in the order of the lengths, without those that no prompt can have', () => {
  const long = 'len > 100 ? tier("c", p*5 + c*6) : tier("b", p*3 + c*4)';
  expect(read(`len <= 10 ? tier("a", p*1 + c*2) : ${long}`)).toEqual([
    '0: input 1.00, output 2.00',
    '10: input 3.00, output 4.00',
    '100: input 5.00, output 6.00',
  ]);
  expect(
    read('len <= 10 ? (len > 50 ? tier("never", p*9 + c*9) : tier("a", p*1 + c*2)) : tier("b", p*3 + c*4)'),
  ).toEqual(['0: input 1.00, output 2.00', '10: input 3.00, output 4.00']);
});

test.each([
  [''],
  ['tier("base", p * 1)'],
  ['tier("base", p * 1 + c * 2) * 2'],
  ['tier("base", p * 1 + c * 2 + p * 3)'],
  ['tier("base", p * -1 + c * 2)'],
  ['tier("base", p * 1 + toString * 2)'],
  ['c > 5 ? tier("a", p*1 + c*2) : tier("b", p*3 + c*4)'],
  ['len <= 10 && len > 5 ? tier("a", p*1 + c*2) : tier("b", p*3 + c*4)'],
  ['len <= 10 ? tier("a", p*1 + c*2)'],
  ['header("x") == "y" ? tier("a", p*1 + c*2) : tier("b", p*3 + c*4)'],
  ['('.repeat(50_000)],
])('another expression is not read: %s', (expression) => {
  expect(read(expression)).toBeUndefined();
});
