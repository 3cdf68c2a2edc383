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
const message = fc.record(
  {
    role: fc.oneof(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool', 'function'), anything),
    content: anything,
    name: anything,
    tool_calls: anything,
    tool_call_id: anything,
  },
  { requiredKeys: [] },
);

test('what is taken at a glance the schema takes too', () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(message, anything), (value) => {
      if (!isTextMessage(value)) return;
      taken += 1;
      expect(messageSchema.safeParse(value).success).toBe(true);
    }),
    { numRuns: 2000 },
  );
  expect(taken).toBeGreaterThan(0);
});

test('most messages are taken at a glance', () => {
  for (const role of ['system', 'developer', 'user', 'assistant']) {
    expect(isTextMessage({ role, content: 'Hello.', cache_control: { type: 'ephemeral' } })).toBe(true);
    expect(isTextMessage({ role, content: '', name: 'ann' })).toBe(true);
  }
});
