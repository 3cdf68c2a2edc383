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
/** Nearly a message as most are, with one thing that may be wrong. */
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

test('what is taken at a glance the schema takes too', () => {
  const values = fc.oneof(usual, message, anything);
  fc.assert(
    fc.property(values, (value) => {
      if (!isTextMessage(value)) return;
      expect(messageSchema.safeParse(value).success).toBe(true);
    }),
    { numRuns: 2000 },
  );
  // How many are taken is a matter of chance: of these values it is always the same number.
  const drawn = fc.sample(values, { numRuns: 1000, seed: 1 });
  expect(drawn.filter(isTextMessage).length).toBeGreaterThan(50);
});

test('most messages are taken at a glance', () => {
  for (const role of ['system', 'developer', 'user', 'assistant']) {
    expect(isTextMessage({ role, content: 'Hello.', cache_control: { type: 'ephemeral' } })).toBe(true);
    expect(isTextMessage({ role, content: '', name: 'ann' })).toBe(true);
  }
});
