import { codewordsOf } from './codewords.ts';
import { type Grid, withPatterns } from './patterns.ts';

/** Encodes a text as a QR code: rows of modules, true for dark, without the quiet zone. */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  const { version, codewords } = codewordsOf(new TextEncoder().encode(text));
  const drawn = masks.map((mask, number) => {
    const grid = withPatterns(version, number);
    fill(grid, codewords, mask);
    return { modules: grid.modules, penalty: penaltyOf(grid.modules) };
  });
  return drawn.reduce((best, one) => (one.penalty < best.penalty ? one : best)).modules;
}

type Mask = (row: number, column: number) => boolean;

const masks: readonly Mask[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** Writes bits up and down in pairs of columns from the right, skipping fixed patterns and the timing column. */
function fill({ modules, isFixed }: Grid, codewords: readonly number[], mask: Mask): void {
  const size = modules.length;
  let bit = 0;
  for (let right = size - 1, isUp = true; right >= 1; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const row = isUp ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (isFixed[row]?.[column]) continue;
        const isOne = (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        bit++;
        const line = modules[row];
        if (line) line[column] = isOne !== mask(row, column);
      }
    }
  }
}

/** Scores how hard the code is to read: long runs, blocks, patterns like a finder, and too much of one colour. */
function penaltyOf(modules: Grid['modules']): number {
  const size = modules.length;
  const columns = modules.map((_, column) => modules.map((row) => row[column] ?? false));
  let penalty = 0;
  for (const line of [...modules, ...columns]) {
    const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += 40 * (text.match(/(?=00001011101|10111010000)/g)?.length ?? 0);
  }
  let dark = 0;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const isDark = modules[row]?.[column];
      if (isDark) dark++;
      const corner = [modules[row]?.[column + 1], modules[row + 1]?.[column], modules[row + 1]?.[column + 1]];
      if (corner.every((other) => other === isDark)) penalty += 3;
    }
  }
  return penalty + 10 * Math.floor(Math.abs((dark * 20) / size ** 2 - 10));
}
