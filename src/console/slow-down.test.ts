import { expect, test } from 'vitest';
import { slowDown } from './slow-down.ts';
import { systemClock } from '../core/clock.ts';

function started() {
  const time = { ms: 0 };
  const slow = slowDown({ ...systemClock, now: () => time.ms, elapsed: () => time.ms });
  return { time, slow };
}

const ann = { email: 'ann@example.com', address: '10.0.0.1' };

test('the first failures cost nothing, then each costs twice the one before, up to a bound', () => {
  const { slow } = started();
  const delays = Array.from({ length: 14 }, () => slow.begin(ann));
  expect(delays).toEqual([0, 0, 0, 0, 0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000]);
});

test('many attempts at the same time count as they come', () => {
  const { slow } = started();
  const delays = Array.from({ length: 100 }, (_, index) => slow.begin({ ...ann, address: `10.0.0.${index}` }));
  expect(delays.filter((delay) => delay === 0)).toHaveLength(5);
});

test('an address that tries many names is slowed, later than a name is', () => {
  const { slow } = started();
  const delays = Array.from({ length: 40 }, (_, index) => slow.begin({ ...ann, email: `${index}@example.com` }));
  expect(delays.slice(0, 30).every((delay) => delay === 0)).toBe(true);
  expect(delays[30]).toBe(250);
  expect(delays.at(-1)).toBe(8000);
});

test('the right password forgives the name, and one attempt of the address', () => {
  const { slow } = started();
  for (let index = 0; index < 8; index += 1) slow.begin(ann);
  slow.forgive(ann);
  expect(slow.begin(ann)).toBe(0);
});

test('after a quarter of an hour of quiet everything is forgotten', () => {
  const { slow, time } = started();
  for (let index = 0; index < 8; index += 1) slow.begin(ann);
  time.ms += 15 * 60_000;
  expect(slow.begin(ann)).toBe(0);
});

test('upper and lower case are the same name, and other names are not touched', () => {
  const { slow } = started();
  for (let index = 0; index < 8; index += 1) slow.begin(ann);
  expect(slow.begin({ ...ann, email: 'ANN@example.com' })).toBeGreaterThan(0);
  expect(slow.begin({ ...ann, email: 'bob@example.com' })).toBe(0);
});
