import { expect, test } from 'vitest';
import { redactor } from './redaction.ts';

test('known secrets and what looks like one are taken out, the rest stays', () => {
  const redact = redactor(['my-own-secret', 'abc']);
  expect(redact('bad key my-own-secret, abc')).toBe('bad key [redacted], abc');
  expect(redact('Incorrect API key: sk-proj-abcdefghijkl1234.')).toBe('Incorrect API key: [redacted].');
  expect(redact('sent Authorization: Bearer x.y.z to us')).toBe('sent Authorization: [redacted] to us');
  expect(redact('model gpt-6 not found')).toBe('model gpt-6 not found');
});
