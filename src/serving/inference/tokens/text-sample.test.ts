import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextSample } from './text-sample.ts';

test('a text that fits is kept completely, in any split into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 40 }), (pieces) => {
      const sample = new TextSample();
      for (const piece of pieces) sample.add(piece);
      expect(sample.text).toBe(pieces.join(''));
      expect(sample.scale).toBe(1);
    }),
  );
});

test('of a long text, the beginning and its share of the whole are kept', () => {
  const sample = new TextSample();
  for (let i = 0; i < 10_000; i++) sample.add('0123456789');
  expect(Buffer.byteLength(sample.text)).toBeLessThanOrEqual(16 * 1024);
  expect(sample.text.length * sample.scale).toBeCloseTo(100_000);
});

test('a sample without text is empty', () => {
  const sample = new TextSample();
  expect([sample.text, sample.scale, sample.isEmpty]).toEqual(['', 1, true]);
});
