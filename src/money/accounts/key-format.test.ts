import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { base62 } from './base62.ts';
import { displayForm, newSecret, wellFormed } from './secret-format.ts';

const secret = fc.constant(undefined).map(newSecret);

test('every new secret is well formed and matches what secret scanners look for', () => {
  fc.assert(
    fc.property(secret, (text) => {
      expect(text).toMatch(/^gwk_live_[0-9A-Za-z]{38}$/);
      expect(wellFormed(text)).toBe(true);
    }),
  );
});

test('a secret with one character changed is not well formed', () => {
  const position = fc.nat({ max: 46 });
  const character = fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(secret, position, character, (text, at, other) => {
      fc.pre(text[at] !== other);
      expect(wellFormed(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
    }),
    { numRuns: 250 },
  );
});

test('a truncated, extended, doubled or spaced secret is not well formed', () => {
  fc.assert(
    fc.property(secret, fc.string({ minLength: 1 }), fc.nat({ max: 46 }), (text, more, length) => {
      for (const other of [text.slice(0, length), text + more, more + text, text + text, ` ${text.slice(1)}`]) {
        expect(wellFormed(other)).toBe(false);
      }
    }),
  );
});

test('arbitrary text is not well formed', () => {
  const likely = fc.string({ minLength: 38, maxLength: 38 }).map((text) => `gwk_live_${text}`);
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: 'binary', maxLength: 60 })), (text) => {
      expect(wellFormed(text)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test('a secret with invalid characters is not well formed, even if its checksum is right', () => {
  const checked = `gwk_live_${'_'.repeat(32)}`;
  expect(wellFormed(checked + base62(crc32(checked), 6))).toBe(false);
});

test('new secrets are unique', () => {
  const secrets = new Set(Array.from({ length: 10_000 }, newSecret));
  expect(secrets.size).toBe(10_000);
});

test('the display form shows the first two and last two characters of the random part', () => {
  const text = newSecret();
  expect(displayForm(text)).toBe(`gwk_live_${text.slice(9, 11)}…${text.slice(-2)}`);
});
