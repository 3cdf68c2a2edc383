import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasBackslashInName } from '../../json/safe-json.ts';
import { chatRequestSchema, isUsualRequest } from './request-schema.ts';

const anything = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, -1, 0, 1, 2, 2.5, 2 ** 31, Number.POSITIVE_INFINITY),
  fc.array(fc.string()),
  fc.object(),
);
const messages = [{ role: 'user', content: 'Hello.' }];
const usual = { model: 'large', messages, max_tokens: 5, temperature: 0.5, stream: true };
/** A usual request with up to two fields that may be invalid. */
const nearlyUsual = fc
  .dictionary(fc.constantFrom(...Object.keys(chatRequestSchema.shape), 'seed', '__proto__'), anything, { maxKeys: 2 })
  .map((fields) => JSON.stringify({ ...usual, ...fields }))
  // Such names would change how the engine parses in later tests of the process.
  .filter((text) => !hasBackslashInName(text))
  .map((text) => JSON.parse(text) as object);

test('the schema accepts every request that isUsualRequest accepts, unchanged', () => {
  const values = fc.oneof(nearlyUsual, anything);
  fc.assert(
    fc.property(values, (value) => {
      if (!isUsualRequest(value)) return;
      expect(chatRequestSchema.safeParse(value)).toEqual({ success: true, data: value });
    }),
    { numRuns: 600 },
  );
  // With a fixed seed, the number of accepted values is always the same.
  const drawn = fc.sample(values, { numRuns: 300, seed: 1 });
  expect(drawn.filter(isUsualRequest).length).toBeGreaterThan(25);
});

test('isUsualRequest accepts usual requests', () => {
  expect(isUsualRequest({ ...usual, top_p: 1, stream_options: { include_usage: true }, seed: 7 })).toBe(true);
  expect(isUsualRequest({ ...usual, tools: [] })).toBe(false);
  expect(isUsualRequest({ model: 'large' })).toBe(false);
  expect(isUsualRequest({ messages })).toBe(false);
});
