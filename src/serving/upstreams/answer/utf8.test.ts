import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Reader } from './utf8.ts';

test('the reader decodes arbitrary bytes in pieces as in one piece', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 24 }),
    fc.string({ unit: 'grapheme' }).map((text) => new Uint8Array(Buffer.from(text))),
  );
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(6), { minLength: 1 }), (all, sizes) => {
      const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(all);
      expect(readInPieces(Buffer.from(all), sizes)).toBe(whole);
    }),
    { numRuns: 1000 },
  );
});

test('the reader joins a split character, even if the socket reuses its buffer', () => {
  const reader = utf8Reader();
  const shared = Buffer.from('a😀');
  const first = reader.push(shared.subarray(0, 3));
  const rest = Buffer.from(shared.subarray(3));
  shared.fill(0);
  expect(first + reader.push(rest) + reader.end()).toBe('a😀');
});

test('the reader replaces an incomplete character at the end', () => {
  const reader = utf8Reader();
  expect(reader.push(Buffer.from([0x61, 0xe2, 0x82])) + reader.end()).toBe('a\ufffd');
});

function readInPieces(all: Buffer, sizes: readonly number[]): string {
  const reader = utf8Reader();
  let text = '';
  for (let at = 0, piece = 0; at < all.length; piece++) {
    const size = sizes[piece % sizes.length]! + 1;
    text += reader.push(all.subarray(at, at + size));
    at += size;
  }
  return text + reader.end();
}
