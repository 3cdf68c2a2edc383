import { describe, expect, test } from 'vitest';
import { withPatterns } from './patterns.ts';
import { qrCode } from './qr-code.ts';
import { correction } from './reed-solomon.ts';

describe('a QR code', () => {
  test("has the correction codewords of the standard's example", () => {
    const data = [0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11];
    expect(correction(data, 10)).toEqual([0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55]);
  });

  test.each([
    [14, 21],
    [15, 25],
    [122, 45],
    [123, 49],
    [213, 57],
    [251, 61],
    [252, 65],
  ])('of %i bytes has the size of the smallest version that holds them', (bytes, size) => {
    const rows = qrCode('x'.repeat(bytes));
    expect(rows).toHaveLength(size);
    expect(rows.every((row) => row.length === size)).toBe(true);
  });

  test('contains its mask twice, in a valid format', () => {
    const rows = qrCode('any text');
    const size = rows.length;
    const at = (row: number, column: number) => (rows[row]?.[column] ? 1 : 0);
    const first = [0, 1, 2, 3, 4, 5, 7, 8]
      .map((row) => at(row, 8))
      .concat([7, 5, 4, 3, 2, 1, 0].map((column) => at(8, column)));
    const second = [
      ...Array.from({ length: 8 }, (_, index) => at(8, size - 1 - index)),
      ...Array.from({ length: 7 }, (_, index) => at(size - 7 + index, 8)),
    ];
    expect(first).toEqual(second);
    const bits = first.reduce<number>((sum, bit, index) => sum | (bit << index), 0);
    // The eight formats of this level, from the table of the standard.
    expect([0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0]).toContain(bits);
  });

  test('has as many data modules in each version as the standard', () => {
    const free = [208, 359, 567, 807, 1079, 1383, 1568, 1936, 2336, 2768, 3232, 3728, 4256, 4651, 5243];
    const counted = free.map(
      (_, index) =>
        withPatterns(index + 1, 0)
          .isFixed.flat()
          .filter((isFixed) => !isFixed).length,
    );
    expect(counted).toEqual(free);
  });

  test('contains its version from version 7 on, as in the standard', () => {
    const { modules } = withPatterns(7, 0);
    const bits = Array.from({ length: 18 }, (_, index) => modules[Math.floor(index / 3)]?.[34 + (index % 3)]);
    expect(bits.reduce((sum, isDark, index) => sum | (isDark ? 1 << index : 0), 0)).toBe(0x07c94);
  });

  test.each(['short', 'x'.repeat(100), 'ÄÖ → 中文 '.repeat(14)])('decodes to its text', (text) => {
    expect(readBack(qrCode(text))).toContain(text.slice(0, 4));
  });

  test('throws for a text that is too long', () => {
    expect(() => qrCode('x'.repeat(1000))).toThrow('too long');
  });
});

/** Decodes the mask, then the codewords in drawing order. The text begins with the first codewords of each block. */
function readBack(rows: ReturnType<typeof qrCode>): string {
  const size = rows.length;
  const version = (size - 17) / 4;
  const at = (row: number, column: number) => rows[row]?.[column] ?? false;
  const mask = ([12, 11, 10] as const).reduce((sum, bit) => (sum << 1) | (at(8, 14 - bit) ? 1 : 0), 0) ^ 0b101;
  const { isFixed } = withPatterns(version, mask);
  const bits: boolean[] = [];
  const columns = Array.from({ length: size }, (_, index) => size - 1 - index).filter((column) => column !== 6);
  for (let pair = 0; pair < columns.length; pair += 2) {
    for (let step = 0; step < size; step++) {
      const row = pair % 4 === 0 ? size - 1 - step : step;
      for (const column of columns.slice(pair, pair + 2)) {
        if (!isFixed[row]?.[column]) bits.push(at(row, column) !== isMasked(mask, row, column));
      }
    }
  }
  const codewords = Array.from({ length: bits.length >> 3 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((sum, bit) => (sum << 1) | (bit ? 1 : 0), 0),
  );
  // Versions up to 3 have one block, 4 and 5 two, 6 to 8 four, 9 to 11 five.
  const blocks = version < 4 ? 1 : version < 6 ? 2 : version < 9 ? 4 : 5;
  const data = codewords.filter((_, index) => index % blocks === 0).slice(0, 16);
  const nibbles = data.flatMap((codeword) => [codeword >> 4, codeword & 15]).slice(version < 10 ? 3 : 5);
  const bytes = Array.from(
    { length: nibbles.length >> 1 },
    (_, index) => ((nibbles[index * 2] ?? 0) << 4) | (nibbles[index * 2 + 1] ?? 0),
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function isMasked(mask: number, i: number, j: number): boolean {
  const formulas = [
    (i + j) % 2,
    i % 2,
    j % 3,
    (i + j) % 3,
    (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
    ((i * j) % 2) + ((i * j) % 3),
    (((i * j) % 2) + ((i * j) % 3)) % 2,
    (((i + j) % 2) + ((i * j) % 3)) % 2,
  ];
  return formulas[mask] === 0;
}
