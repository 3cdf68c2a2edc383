import { expect, test } from 'vitest';
import { InvariantViolation } from '../core/assert.ts';
import { Allowance } from './allowance.ts';

function fixture(max = 8) {
  let nowMs = 0;
  const allowance = new Allowance(
    () => max,
    () => nowMs,
  );
  const take = (count: number) => Array.from({ length: count }, () => allowance.take());
  const refuse = (count: number, pauseMs = 1000) => Array.from({ length: count }, () => allowance.refused(pauseMs));
  return { allowance, take, refuse, pass: (ms: number) => void (nowMs += ms) };
}

test('after two refusals the model stays open, after the third it cools down until the latest requested time', () => {
  const { allowance, take, pass } = fixture();
  const rests = [1000, 5000, 2000].map((pauseMs) => {
    take(1);
    return allowance.refused(pauseMs);
  });
  expect(rests).toEqual([false, false, true]);
  expect([allowance.isOpen, allowance.cooldownMs]).toEqual([false, 5000]);
  pass(5000);
  expect([allowance.isOpen, allowance.cooldownMs]).toEqual([true, 0]);
});

test('a model that takes every slot of its upstream stays open until a provider has refused calls', () => {
  const { allowance, take, refuse } = fixture();
  take(8);
  expect(allowance.isOpen).toBe(true);
  refuse(3, 0);
  allowance.accepted();
  expect(allowance.limit).toBeLessThan(8);
  take(allowance.limit - 5);
  expect(allowance.isOpen).toBe(false);
  allowance.ended();
  expect(allowance.isOpen).toBe(true);
});

test('an answer that begins or ends resets the count of refusals', () => {
  const { allowance, take, refuse } = fixture();
  take(7);
  refuse(2);
  allowance.accepted();
  refuse(2);
  allowance.ended();
  refuse(2);
  expect(allowance.cooldownMs).toBe(0);
});

test('an answer to a call made before the refusals were known keeps the model open', () => {
  const { allowance, take, refuse } = fixture();
  take(4);
  refuse(3, 8000);
  expect(allowance.cooldownMs).toBe(8000);
  allowance.accepted();
  expect([allowance.cooldownMs, allowance.isOpen]).toEqual([0, true]);
});

test('once no call is undecided, an answer that ends later does not end the cooldown', () => {
  const { allowance, take, refuse } = fixture();
  take(1);
  allowance.accepted();
  take(3);
  refuse(3, 8000);
  allowance.ended();
  expect([allowance.cooldownMs, allowance.isOpen]).toEqual([8000, false]);
});

test('after a cooldown one call tests the model, and opens it for all or closes it again', () => {
  const { allowance, take, refuse, pass } = fixture();
  take(3);
  refuse(3);
  pass(1000);
  take(1);
  expect(allowance.isOpen).toBe(false);
  refuse(1);
  expect(allowance.cooldownMs).toBe(1000);
  pass(1000);
  take(1);
  allowance.givenUp();
  expect([allowance.isOpen, allowance.cooldownMs]).toEqual([true, 0]);
  take(1);
  expect(allowance.isOpen).toBe(false);
  allowance.accepted();
  expect([allowance.isOpen, allowance.limit]).toEqual([true, 2]);
});

test('without a requested pause each cooldown is longer than the last, up to a second', () => {
  const { allowance, take, refuse, pass } = fixture();
  const rests = Array.from({ length: 8 }, () => {
    take(1);
    refuse(1, 0);
    const { cooldownMs } = allowance;
    pass(cooldownMs);
    return cooldownMs;
  });
  expect(rests).toEqual([0, 0, 125, 250, 500, 1000, 1000, 1000]);
});

test('after a refusal the next call waits for 100 ms or for a running answer, whichever is first', () => {
  const { allowance, take, refuse, pass } = fixture();
  take(1);
  allowance.accepted();
  take(1);
  refuse(1);
  expect([allowance.isOpen, allowance.closedMs, allowance.cooldownMs]).toEqual([false, 100, 0]);
  pass(100);
  expect(allowance.isOpen).toBe(true);
  take(1);
  refuse(1);
  allowance.ended();
  expect(allowance.isOpen).toBe(true);
});

test('a call ends once and is accepted or refused once', () => {
  const { allowance, take } = fixture();
  expect(() => allowance.ended()).toThrow(InvariantViolation);
  take(1);
  allowance.accepted();
  expect(() => allowance.accepted()).toThrow(InvariantViolation);
  allowance.ended();
  expect(() => allowance.givenUp()).toThrow(InvariantViolation);
  expect(allowance.isPlain).toBe(true);
});
