import { expect, test } from 'vitest';
import { requestRates } from './request-rates.ts';

const nothing = { requests: 0, errors: 0, promptTokens: 0, completionTokens: 0 };

function fixture() {
  const time = { ms: 5_000_500 };
  return { time, rates: requestRates(() => time.ms) };
}

test('rates cover the last minute and drop older requests', () => {
  const { time, rates } = fixture();
  time.ms += 600_000;
  const record = { errorCase: undefined, promptTokens: 60, completionTokens: 6 };
  for (let second = 0; second < 60; second += 1, time.ms += 1000) rates.count(record);
  time.ms -= 1000;
  expect(rates.read()).toEqual({ requests: 1, errors: 0, promptTokens: 60, completionTokens: 6 });
  time.ms += 30_000;
  expect(rates.read().requests).toBe(0.5);
  time.ms += 30_000;
  expect(rates.read()).toEqual(nothing);
});

test('a failed request counts as a request and as an error', () => {
  const { time, rates } = fixture();
  time.ms += 60_000;
  for (let index = 0; index < 6; index += 1) {
    rates.count({ errorCase: 'overloaded', promptTokens: undefined, completionTokens: undefined });
  }
  expect(rates.read()).toEqual({ ...nothing, requests: 0.1, errors: 0.1 });
});

test('in the first minute of a process, rates are averaged over its age', () => {
  const { time, rates } = fixture();
  expect(rates.read()).toEqual(nothing);
  time.ms += 10_000;
  for (let index = 0; index < 20; index += 1) {
    rates.count({ errorCase: undefined, promptTokens: 1, completionTokens: 0 });
  }
  expect(rates.read()).toMatchObject({ requests: 2, promptTokens: 2 });
});
