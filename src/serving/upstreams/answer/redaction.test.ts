import { expect, test } from 'vitest';
import { redactor } from './redaction.ts';

const redact = redactor(['my/"secret\\key', 'other-one', 'short']);

test('known secrets are removed, verbatim and in JSON encoding', () => {
  expect(redact('no my/"secret\\key and other-one')).toBe('no [redacted] and [redacted]');
  expect(redact(JSON.stringify({ key: 'my/"secret\\key' }))).toBe('{"key":"[redacted]"}');
});

test('known secrets are removed in base64 and URL encoding, at any position in the encoded text', () => {
  const secret = 'my/"secret+key&1';
  const take = redactor([secret]);
  for (const before of ['', ':', 'u:', 'usr:', 'Bearer ']) {
    for (const after of ['', ' ', ', other']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(`${before}${secret}${after}`).toString(encoding);
        const shown = take(`refused ${encoded}.`);
        expect(shown).toContain('[redacted]');
        const rest = shown.replace(/^refused |\.$/g, '').split('[redacted]');
        const decoded = rest.map((part) => Buffer.from(part, encoding).toString()).join(' ');
        expect(decoded).not.toContain('secret');
      }
    }
  }
  expect(take(`a=${encodeURIComponent(secret)}&b`)).toBe('a=[redacted]&b');
  expect(take(`a=${encodeURIComponent(secret).toLowerCase()}&b`)).toBe('a=[redacted]&b');
  expect(redactor(['my süß key'])(`${new URLSearchParams({ key: 'my süß key' }).toString()}&b`)).toBe(
    'key=[redacted]&b',
  );
});

test('text that looks like a credential is removed too', () => {
  expect(redact('sk-abcdefghijklmnop, Bearer xyz')).toBe('[redacted], [redacted]');
});

test('other text stays, and so do secrets that are too short to distinguish from words', () => {
  expect(redact('a short text')).toBe('a short text');
});
