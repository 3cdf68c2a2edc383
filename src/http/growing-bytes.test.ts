import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingBytes } from './growing-bytes.ts';

test('pieces come out as one, in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (pieces) => {
      const growing = new GrowingBytes();
      for (const piece of pieces) growing.add(Buffer.from(piece));
      const whole = Buffer.concat(pieces);
      expect(growing.size).toBe(whole.length);
      expect(growing.bytes.equals(whole)).toBe(true);
    }),
  );
});

test('a single piece is not copied', () => {
  const growing = new GrowingBytes();
  const piece = Buffer.from('whole');
  growing.add(piece);
  expect(growing.bytes).toBe(piece);
});
