import { describe, expect, test } from 'vitest';
import { qrCode } from './qr-code.ts';
import { correction } from './reed-solomon.ts';

describe('a QR code', () => {
  test('corrects as the example of the standard does', () => {
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

  test('says which mask it was drawn with, in both places, as a valid format', () => {
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

  test('is refused for a text that is too long', () => {
    expect(() => qrCode('x'.repeat(1000))).toThrow('too long');
  });
});
