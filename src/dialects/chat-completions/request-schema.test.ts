import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasBackslashInName } from '../../core/safe-json.ts';
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
/** Nearly a request as most are, with a field or two that may be wrong. */
const nearlyUsual = fc
  .dictionary(fc.constantFrom(...Object.keys(chatRequestSchema.shape), 'seed', '__proto__'), anything, { maxKeys: 2 })
  .map((fields) => JSON.stringify({ ...usual, ...fields }))
  // Later tests of the process would be read otherwise by the engine.
  .filter((text) => !hasBackslashInName(text))
  .map((text) => JSON.parse(text) as object);

test('what is taken at a glance the schema takes too, as it is', () => {
  const values = fc.oneof(nearlyUsual, anything);
  fc.assert(
    fc.property(values, (value) => {
      if (!isUsualRequest(value)) return;
      expect(chatRequestSchema.safeParse(value)).toEqual({ success: true, data: value });
    }),
    { numRuns: 600 },
  );
  // How many are taken is a matter of chance: of these values it is always the same number.
  const drawn = fc.sample(values, { numRuns: 300, seed: 1 });
  expect(drawn.filter(isUsualRequest).length).toBeGreaterThan(25);
});

test('most requests are taken at a glance', () => {
  expect(isUsualRequest({ ...usual, top_p: 1, stream_options: { include_usage: true }, seed: 7 })).toBe(true);
  expect(isUsualRequest({ ...usual, tools: [] })).toBe(false);
  expect(isUsualRequest({ model: 'large' })).toBe(false);
  expect(isUsualRequest({ messages })).toBe(false);
});
