import { stripVTControlCharacters } from 'node:util';

/** Aligns the cells of each column. Each row is one line, without spaces at its end. */
export function columns(rows: readonly (readonly (string | number)[])[], gap = '  '): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
  const padded = (cell: string | number, at: number) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell));
  return rows.map((row) => row.map(padded).join(gap).trimEnd()).join('\n');
}

/** The columns of a terminal that a text takes. Colours take none, Chinese characters and emoji take two. */
function widthOf(cell: string | number): number {
  let width = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(String(cell))))
    width += wide.test(segment) ? 2 : 1;
  return width;
}

const graphemes = new Intl.Segmenter();

/** The East Asian wide and full-width blocks, and characters that terminals show as pictures. */
const wide =
  /^(?:\p{Emoji_Presentation}|.\uFE0F|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}])/u;
