import { expect, test } from 'vitest';
import { expectedOutput } from './expected-output.ts';

const noCap = Number.POSITIVE_INFINITY;

test('the first answer is taken at its word, later ones move the expectation slowly', () => {
  const expected = expectedOutput();
  expected.learn('a', 'm', 1000);
  expect(expected.of('a', 'm', noCap)).toBe(1000);
  expected.learn('a', 'm', 2000);
  expect(expected.of('a', 'm', noCap)).toBe(1200);
});

test('accounts and models are known apart; of a new account the same is expected as of all others', () => {
  const expected = expectedOutput();
  const unknown = expected.of('a', 'm', noCap);
  expected.learn('a', 'm', 7);
  expected.learn('b', 'm', 17);
  expect([expected.of('a', 'm', noCap), expected.of('b', 'm', noCap)]).toEqual([7, 17]);
  expect([expected.of('c', 'm', noCap), expected.of('a', 'n', noCap)]).toEqual([9, unknown]);
});

test('no more is expected than the request allows', () => {
  expect(expectedOutput().of('a', 'm', 20)).toBe(20);
});
