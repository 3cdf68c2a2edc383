import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingBytes } from './growing-bytes.ts';

test('the buffer joins all pieces in order', () => {
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

test('the buffer does not copy a single piece', () => {
  const growing = new GrowingBytes();
  const piece = Buffer.from('whole');
  growing.add(piece);
  expect(growing.bytes).toBe(piece);
});
