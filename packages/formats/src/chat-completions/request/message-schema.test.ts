import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTextMessage, messageSchema } from './message-schema.ts';

const anything = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string()),
  fc.object(),
);
const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
/** A usual message with perhaps one invalid field. */
const usual = fc.record(
  { role: fc.constantFrom(...roles), content: fc.oneof(fc.string(), anything), name: fc.oneof(fc.string(), anything) },
  { requiredKeys: ['role', 'content'] },
);
const message = fc.record(
  {
    role: fc.oneof(fc.constantFrom(...roles), anything),
    content: anything,
    name: anything,
    tool_calls: anything,
    tool_call_id: anything,
  },
  { requiredKeys: [] },
);

test('the schema accepts every message that isTextMessage accepts', () => {
  const values = fc.oneof(usual, message, anything);
  fc.assert(
    fc.property(values, (value) => {
      if (!isTextMessage(value)) return;
      expect(messageSchema.safeParse(value).success).toBe(true);
    }),
    { numRuns: 2000 },
  );
  // With a fixed seed, the number of accepted values is always the same.
  const drawn = fc.sample(values, { numRuns: 1000, seed: 1 });
  expect(drawn.filter(isTextMessage).length).toBeGreaterThan(50);
});

test('isTextMessage accepts usual messages', () => {
  for (const role of ['system', 'developer', 'user', 'assistant']) {
    expect(isTextMessage({ role, content: 'Hello.', cache_control: { type: 'ephemeral' } })).toBe(true);
    expect(isTextMessage({ role, content: '', name: 'ann' })).toBe(true);
  }
});
