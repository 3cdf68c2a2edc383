import { expect, test } from 'vitest';
import { InvariantViolation } from 'chat-formats/assert.ts';
import { ModelLimiter } from './model-limiter.ts';

function fixture(max = 8) {
  let nowMs = 0;
  const limiter = new ModelLimiter(
    () => max,
    () => nowMs,
  );
  const take = (count: number) => Array.from({ length: count }, () => limiter.take());
  const refuse = (count: number, pauseMs = 1000) => Array.from({ length: count }, () => limiter.refused(pauseMs));
  return { limiter, take, refuse, advance: (ms: number) => void (nowMs += ms) };
}

test('after two refusals the model stays open, after the third it cools down until the latest requested time', () => {
  const { limiter, take, advance } = fixture();
  const cooldowns = [1000, 5000, 2000].map((pauseMs) => {
    take(1);
    return limiter.refused(pauseMs);
  });
  expect(cooldowns).toEqual([false, false, true]);
  expect([limiter.isOpen, limiter.cooldownMs]).toEqual([false, 5000]);
  advance(5000);
  expect([limiter.isOpen, limiter.cooldownMs]).toEqual([true, 0]);
});

test('a model that takes every slot of its upstream stays open until a provider has refused calls', () => {
  const { limiter, take, refuse } = fixture();
  take(8);
  expect(limiter.isOpen).toBe(true);
  refuse(3, 0);
  limiter.accepted();
  expect(limiter.limit).toBeLessThan(8);
  take(limiter.limit - 5);
  expect(limiter.isOpen).toBe(false);
  limiter.ended();
  expect(limiter.isOpen).toBe(true);
});

test('an answer that begins or ends resets the count of refusals', () => {
  const { limiter, take, refuse } = fixture();
  take(7);
  refuse(2);
  limiter.accepted();
  refuse(2);
  limiter.ended();
  refuse(2);
  expect(limiter.cooldownMs).toBe(0);
});

test('an answer to a call made before the refusals were known keeps the model open', () => {
  const { limiter, take, refuse } = fixture();
  take(4);
  refuse(3, 8000);
  expect(limiter.cooldownMs).toBe(8000);
  limiter.accepted();
  expect([limiter.cooldownMs, limiter.isOpen]).toEqual([0, true]);
});

test('once no call is undecided, an answer that ends later does not end the cooldown', () => {
  const { limiter, take, refuse } = fixture();
  take(1);
  limiter.accepted();
  take(3);
  refuse(3, 8000);
  limiter.ended();
  expect([limiter.cooldownMs, limiter.isOpen]).toEqual([8000, false]);
});

test('after a cooldown one call tests the model, and opens it for all or closes it again', () => {
  const { limiter, take, refuse, advance } = fixture();
  take(3);
  refuse(3);
  advance(1000);
  take(1);
  expect(limiter.isOpen).toBe(false);
  refuse(1);
  expect(limiter.cooldownMs).toBe(1000);
  advance(1000);
  take(1);
  limiter.givenUp();
  expect([limiter.isOpen, limiter.cooldownMs]).toEqual([true, 0]);
  take(1);
  expect(limiter.isOpen).toBe(false);
  limiter.accepted();
  expect([limiter.isOpen, limiter.limit]).toEqual([true, 2]);
});

test('without a requested pause each cooldown is longer than the last, up to a second', () => {
  const { limiter, take, refuse, advance } = fixture();
  const cooldowns = Array.from({ length: 8 }, () => {
    take(1);
    refuse(1, 0);
    const { cooldownMs } = limiter;
    advance(cooldownMs);
    return cooldownMs;
  });
  expect(cooldowns).toEqual([0, 0, 125, 250, 500, 1000, 1000, 1000]);
});

test('after a refusal the next call waits for 100 ms or for a running answer, whichever is first', () => {
  const { limiter, take, refuse, advance } = fixture();
  take(1);
  limiter.accepted();
  take(1);
  refuse(1);
  expect([limiter.isOpen, limiter.closedMs, limiter.cooldownMs]).toEqual([false, 100, 0]);
  advance(100);
  expect(limiter.isOpen).toBe(true);
  take(1);
  refuse(1);
  limiter.ended();
  expect(limiter.isOpen).toBe(true);
});

test('a call ends once and is accepted or refused once', () => {
  const { limiter, take } = fixture();
  expect(() => limiter.ended()).toThrow(InvariantViolation);
  take(1);
  limiter.accepted();
  expect(() => limiter.accepted()).toThrow(InvariantViolation);
  limiter.ended();
  expect(() => limiter.givenUp()).toThrow(InvariantViolation);
  expect(limiter.isForgettable).toBe(true);
});
