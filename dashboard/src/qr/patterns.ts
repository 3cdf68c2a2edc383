/** An unfinished QR code: the dark modules, and the modules of fixed patterns, which data must not overwrite. */
export interface Grid {
  readonly modules: boolean[][];
  readonly isFixed: boolean[][];
}

/** An empty QR code of a version, with all fixed patterns and the format bits of the mask. */
export function withPatterns(version: number, mask: number): Grid {
  const size = version * 4 + 17;
  const empty = () => Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  const grid = { modules: empty(), isFixed: empty() };
  for (let index = 0; index < size; index++) {
    set(grid, 6, index, index % 2 === 0);
    set(grid, index, 6, index % 2 === 0);
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const) {
    rings(grid, { row, column, reach: 4, light: [2, 4] });
  }
  for (const row of alignments(version)) {
    for (const column of alignments(version)) {
      const isFinder = (row < 8 && (column < 8 || column > size - 9)) || (row > size - 9 && column < 8);
      if (!isFinder) rings(grid, { row, column, reach: 2, light: [1] });
    }
  }
  writeFormat(grid, mask);
  if (version >= 7) writeVersion(grid, version);
  return grid;
}

function set({ modules, isFixed }: Grid, row: number, column: number, isDark: boolean): void {
  const line = modules[row];
  const fixedLine = isFixed[row];
  if (!line || !fixedLine || column < 0 || column >= line.length) return;
  line[column] = isDark;
  fixedLine[column] = true;
}

function rings(
  grid: Grid,
  at: { readonly row: number; readonly column: number; readonly reach: number; readonly light: readonly number[] },
): void {
  for (let down = -at.reach; down <= at.reach; down++) {
    for (let across = -at.reach; across <= at.reach; across++) {
      const distance = Math.max(Math.abs(down), Math.abs(across));
      set(grid, at.row + down, at.column + across, !at.light.includes(distance));
    }
  }
}

function alignments(version: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = version * 4 + 10;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => last - step * (count - 2 - index))];
}

/** Writes the correction level and the mask twice, with error-correction bits. */
function writeFormat(grid: Grid, mask: number): void {
  const size = grid.modules.length;
  // The bits of the level used here, which repairs 15 %, are 0.
  const bits = ((mask << 10) | remainder(mask, 10, 0x537)) ^ 0x5412;
  const isDark = (index: number) => ((bits >> index) & 1) === 1;
  for (let index = 0; index < 15; index++) {
    const beside = index < 6 ? index : index < 8 ? index + 1 : size - 15 + index;
    set(grid, beside, 8, isDark(index));
    const below = index < 8 ? size - 1 - index : index === 8 ? 7 : 14 - index;
    set(grid, 8, below, isDark(index));
  }
  set(grid, size - 8, 8, true);
}

function writeVersion(grid: Grid, version: number): void {
  const size = grid.modules.length;
  const bits = (version << 12) | remainder(version, 12, 0x1f25);
  for (let index = 0; index < 18; index++) {
    const isDark = ((bits >> index) & 1) === 1;
    const far = size - 11 + (index % 3);
    const near = Math.floor(index / 3);
    set(grid, far, near, isDark);
    set(grid, near, far, isDark);
  }
}

function remainder(value: number, bits: number, generator: number): number {
  let rest = value;
  for (let step = 0; step < bits; step++) rest = (rest << 1) ^ ((rest >> (bits - 1)) * generator);
  return rest;
}
