/** One line of a table, by the names of its columns. */
export type TableRow = Readonly<Record<string, string>>;

export interface Table {
  readonly rows: readonly TableRow[];
  readonly columns: readonly string[];
  /** Whether a comma in a number is a decimal comma. Files with semicolons come from such regions. */
  readonly hasDecimalComma: boolean;
}

const delimiters = [',', ';', '\t'] as const;

/** Reads CSV with a line of names: RFC 4180, also with semicolons or tabs, and with a byte order mark. */
export function csvTable(file: string): Table {
  const text = file.replace(/^\uFEFF/, '');
  const delimiter = delimiterOf(text);
  const [head = [], ...lines] = csvLines(text, delimiter).filter((cells) => cells.some((cell) => cell.trim() !== ''));
  const columns = head.map((name) => name.trim());
  const rows = lines.map((cells) => {
    return Object.fromEntries(columns.map((name, index) => [name, (cells[index] ?? '').trim()]));
  });
  return { rows, columns, hasDecimalComma: delimiter === ';' };
}

/** The delimiter that the first line has most of, outside of quotes. */
function delimiterOf(text: string): string {
  const [first = ''] = text.replaceAll(/"(?:[^"]|"")*"/g, '').split(/[\r\n]+/, 1);
  const counts = delimiters.map((each) => first.split(each).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

function csvLines(text: string, delimiter: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { cell, end } = cellAt(text, at, delimiter);
    cells.push(cell);
    at = end + 1;
    if (text[end] === delimiter) {
      // The file may end after a delimiter, with an empty cell.
      if (at === text.length) cells.push('');
      continue;
    }
    if (text[end] === '\r' && text[at] === '\n') at += 1;
    lines.push(cells);
    cells = [];
  }
  if (cells.length > 0) lines.push(cells);
  return lines;
}

/** The cell that begins at a position, and the position of the character after it. */
function cellAt(text: string, start: number, delimiter: string): { readonly cell: string; readonly end: number } {
  let cell = '';
  let at = start;
  if (text[at] === '"') {
    for (at += 1; at < text.length; at += 1) {
      if (text[at] !== '"') cell += text[at];
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else break;
    }
    at += 1;
  }
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') {
    cell += text[at];
    at += 1;
  }
  return { cell, end: at };
}
