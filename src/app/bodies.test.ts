import { expect, test } from 'vitest';
import { bodyTerms } from './bodies.ts';

const hourMs = 3_600_000;

test('bodies are deleted no later than the record of their request', () => {
  const storedBodies = { keep: 24 * hourMs, maxBytes: 1, accountBytesMax: 1, memoryBytesMax: 1 };
  const requests = (retention: number) => ({ retention, usageRetention: 400 * 24 * hourMs });
  expect(bodyTerms({ storedBodies, requests: requests(hourMs) })).toEqual({ ...storedBodies, keep: hourMs });
  expect(bodyTerms({ storedBodies, requests: requests(48 * hourMs) })).toEqual(storedBodies);
  expect(bodyTerms({ storedBodies: undefined, requests: requests(hourMs) })).toBeUndefined();
});
