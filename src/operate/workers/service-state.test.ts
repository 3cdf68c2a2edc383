import { expect, test } from 'vitest';
import { serviceState, type WorkerFigures } from './service-state.ts';

const rates = { requests: 1.5, errors: 0, promptTokens: 10, completionTokens: 20 };
const figures: WorkerFigures = { requests: 2, retries: { inUse: 1, limit: 10 }, rates };
const well = { checks: [{ name: 'store', problem: undefined }], figures };
const ill = { checks: [{ name: 'store', problem: 'The store does not answer.' }], figures };
const worse = { checks: [...ill.checks, { name: 'ledger', problem: 'The disk is full.' }], figures };
const all = { name: 'workers', problem: undefined, note: undefined };

test('the service is ready while one worker is, and reports how many are', () => {
  expect(serviceState([well, well]).checks).toEqual([...well.checks, all]);
  expect(serviceState([ill, well]).checks).toEqual([...well.checks, { ...all, note: '1 of 2 are ready.' }]);
  expect(serviceState([undefined, well]).checks.every(({ problem }) => problem === undefined)).toBe(true);
});

test('if no worker is ready, the service reports the checks of the worker with the fewest problems', () => {
  const none = { name: 'workers', problem: 'None of the workers is ready.' };
  expect(serviceState([worse, ill]).checks).toMatchObject([...ill.checks, none]);
  expect(serviceState([undefined, undefined]).checks).toMatchObject([none]);
});

test('the figures of the service are the sums of the figures of all workers', () => {
  expect(serviceState([well, undefined, ill]).figures).toEqual({
    requests: 4,
    retries: { inUse: 2, limit: 20 },
    rates: { requests: 3, errors: 0, promptTokens: 20, completionTokens: 40 },
  });
});
