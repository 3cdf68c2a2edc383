import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ScanResult, StopScanner } from './stop-scanner.ts';

/** Few letters, so that sequences overlap themselves and each other. One of them is a surrogate pair. */
const letters = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '😁'), maxLength: 12 });
const sequences = fc.array(
  letters.filter((text) => text !== ''),
  { minLength: 1, maxLength: 4 },
);

/** Reference implementation: the text up to the first complete sequence, without the longest one that ends there. */
function cutAtStop(text: string, stops: readonly string[]): ScanResult {
  for (let end = 1; end <= text.length; end++) {
    const ended = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    const stop = ended.toSorted((one, other) => other.length - one.length)[0];
    if (stop !== undefined) return { text: text.slice(0, end - stop.length), stop };
  }
  return { text, stop: undefined };
}

function scanned(pieces: readonly string[], stops: readonly string[]): ScanResult {
  const scanner = new StopScanner(stops);
  let text = '';
  for (const piece of pieces) {
    const found = scanner.push(piece);
    text += found.text;
    if (found.stop !== undefined) return { text, stop: found.stop };
  }
  return { text: text + scanner.release(), stop: undefined };
}

test('a text in any pieces ends where the reference implementation ends it', () => {
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 6 }), sequences, (pieces, stops) => {
      expect(scanned(pieces, stops)).toEqual(cutAtStop(pieces.join(''), stops));
    }),
  );
});

test('only text that could become a sequence is held back', () => {
  fc.assert(
    fc.property(letters, sequences, (text, stops) => {
      const scanner = new StopScanner(stops);
      const { text: gone, stop } = scanner.push(text);
      fc.pre(stop === undefined);
      const held = scanner.release();
      expect(gone + held).toBe(text);
      const longest = Math.max(...stops.map((each) => beginningAtEnd(text, each)));
      expect(held.length).toBe(longest);
    }),
  );
});

test('a long repetitive sequence costs no more than linear time', () => {
  const stop = `${'a'.repeat(200_000)}b`;
  expect(
    scanned(
      Array.from({ length: 50 }, () => 'a'.repeat(10_000)),
      [stop],
    ).text,
  ).toHaveLength(500_000);
});

function beginningAtEnd(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length;
  }
  return 0;
}
