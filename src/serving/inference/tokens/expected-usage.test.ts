import { expect, test } from 'vitest';
import { expectedUsage } from './expected-usage.ts';

const used = (outputTokens: number) => ({ outputTokens, promptTokens: 0, size: undefined });

test('the first answer sets the expectation, later ones move it slowly', () => {
  const expected = expectedUsage();
  expected.learn('a', 'm', used(1000));
  expect(expected.of('a', 'm', 0).outputTokens).toBe(1000);
  expected.learn('a', 'm', used(2000));
  expect(expected.of('a', 'm', 0).outputTokens).toBe(1200);
});

test('each account and model has its own expectation; a new account starts with that of all others', () => {
  const expected = expectedUsage();
  const output = (account: string, model: string) => expected.of(account, model, 0).outputTokens;
  const unknown = output('a', 'm');
  expected.learn('a', 'm', used(7));
  expected.learn('b', 'm', used(17));
  expect([output('a', 'm'), output('b', 'm')]).toEqual([7, 17]);
  expect([output('c', 'm'), output('a', 'n')]).toEqual([9, unknown]);
});

test('expected prompt tokens follow the tokens per byte of recent prompts', () => {
  const expected = expectedUsage();
  expect(expected.of('a', 'm', 400).promptTokens).toBe(100);
  expected.learn('a', 'm', { outputTokens: 1, promptTokens: 600, size: 120 });
  expect(expected.of('a', 'm', 120).promptTokens).toBe(600);
  expect(expected.of('new', 'm', 240).promptTokens).toBe(1200);
});

test('small prompts with much overhead have little effect on the estimate of a large one', () => {
  const expected = expectedUsage();
  expected.learn('a', 'm', { outputTokens: 1, promptTokens: 600, size: 100 });
  expected.learn('a', 'm', { outputTokens: 1, promptTokens: 25_000, size: 100_000 });
  expect(Math.round(expected.of('a', 'm', 100_000).promptTokens)).toBe(25_460);
});

test('if the provider does not count the prompt, only the output is learned', () => {
  const expected = expectedUsage();
  expected.learn('a', 'm', { outputTokens: 7, promptTokens: 9999, size: undefined });
  expect(expected.of('a', 'm', 400)).toEqual({ promptTokens: 100, outputTokens: 7 });
});
