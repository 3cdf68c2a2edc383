import { expect, test } from 'vitest';
import { redactor } from './redaction.ts';

const redact = redactor(['my/"secret\\key', 'other-one', 'short']);

test('known secrets are taken out, as they are and as JSON writes them', () => {
  expect(redact('no my/"secret\\key and other-one')).toBe('no [redacted] and [redacted]');
  expect(redact(JSON.stringify({ key: 'my/"secret\\key' }))).toBe('{"key":"[redacted]"}');
});

test('what looks like a credential is taken out, too', () => {
  expect(redact('sk-abcdefghijklmnop, Bearer xyz')).toBe('[redacted], [redacted]');
});

test('other text stays, and so do secrets too short to be told from words', () => {
  expect(redact('a short text')).toBe('a short text');
});
