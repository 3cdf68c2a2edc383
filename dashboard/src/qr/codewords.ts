import { correction } from './reed-solomon.ts';

/** By version: correction codewords per block, and blocks, at the level that repairs 15 %. */
const shapes: readonly (readonly [correctionPerBlock: number, blocks: number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
  [22, 9],
  [24, 9],
  [24, 10],
];

/** Encodes bytes as codewords of the smallest version that holds them, including corrections, in drawing order. */
export function codewordsOf(bytes: Uint8Array): { readonly version: number; readonly codewords: readonly number[] } {
  const version = 1 + shapes.findIndex((_, index) => bytes.length + headerBytes(index + 1) <= dataCodewords(index + 1));
  if (version === 0) throw new Error(`A text of ${bytes.length} bytes is too long for a QR code here.`);
  return { version, codewords: interleaved(padded(bytes, version), version) };
}

/** Modules that carry data, in whole codewords: the modules that the fixed patterns of a version leave free. */
function allCodewords(version: number): number {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const fixed = alignments === 0 ? 0 : (25 * alignments - 10) * alignments - 55;
  return Math.floor(((16 * version + 128) * version + 64 - fixed - (version >= 7 ? 36 : 0)) / 8);
}

function dataCodewords(version: number): number {
  const [each, blocks] = shapes[version - 1] ?? [0, 0];
  return allCodewords(version) - each * blocks;
}

/** Four bits for byte mode, then the byte count, which is longer from version 10 on. */
function headerBytes(version: number): number {
  return version < 10 ? 2 : 3;
}

function padded(bytes: Uint8Array, version: number): readonly number[] {
  const count = bytes.length;
  const nibbles = [4, ...(version < 10 ? [] : [count >> 12, (count >> 8) & 15]), (count >> 4) & 15, count & 15];
  for (const byte of bytes) nibbles.push(byte >> 4, byte & 15);
  nibbles.push(0);
  const data: number[] = [];
  for (let index = 0; index + 1 < nibbles.length; index += 2) {
    data.push(((nibbles[index] ?? 0) << 4) | (nibbles[index + 1] ?? 0));
  }
  for (let filler = 0xec; data.length < dataCodewords(version); filler ^= 0xec ^ 0x11) data.push(filler);
  return data;
}

function interleaved(data: readonly number[], version: number): readonly number[] {
  const [each, count] = shapes[version - 1] ?? [0, 0];
  const short = Math.floor(data.length / count);
  const longFrom = count - (data.length % count);
  const blocks: (readonly number[])[] = [];
  for (let index = 0, at = 0; index < count; index++) {
    const end = at + short + (index >= longFrom ? 1 : 0);
    blocks.push(data.slice(at, end));
    at = end;
  }
  const corrections = blocks.map((block) => correction(block, each));
  return [...byColumn(blocks, short + 1), ...byColumn(corrections, each)];
}

function byColumn(rows: readonly (readonly number[])[], columns: number): number[] {
  return Array.from({ length: columns }, (_, column) => rows.flatMap((row) => row[column] ?? [])).flat();
}
