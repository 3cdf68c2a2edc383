import { z } from 'zod';
import { reason, type RefusalCode } from 'chat-formats/reasons/reason.ts';
import { refused } from './sent-values.ts';

/** Fits into memory and a spreadsheet, and is quick to build. */
const tableLinesMax = 50_000;
const linesPerRead = 5000;

interface CsvSource<Line> {
  readonly read: (last: Line | undefined, limit: number) => Promise<readonly Line[]>;
  readonly rowsOf: (lines: readonly Line[]) => readonly string[] | Promise<readonly string[]>;
  readonly refusal?: Extract<RefusalCode, 'too_many_lines' | 'too_many_statement_lines'>;
}

/** Appends all lines to the rows. Throws instead of truncating: half a table looks like a whole one. */
export async function csvRows<Line>(
  head: readonly string[],
  { read, rowsOf, refusal = 'too_many_lines' }: CsvSource<Line>,
): Promise<readonly string[]> {
  const rows = [...head];
  for (let last: Line | undefined; ; ) {
    const lines = await read(last, linesPerRead);
    rows.push(...(await rowsOf(lines)));
    if (rows.length > tableLinesMax) throw refused(reason(refusal, { max: tableLinesMax }));
    last = lines.at(-1);
    if (last === undefined || lines.length < linesPerRead) return rows;
  }
}

export function csvText(rows: readonly string[]): string {
  return `${rows.join('\r\n')}\r\n`;
}

export function csvReply(name: string, fileName: string) {
  return { reply: { name, schema: z.string() }, media: { type: 'text/csv', fileName } } as const;
}

/** One RFC 4180 record, without its line break. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(quote).join(',');
}

/** Keeps a spreadsheet from running text as a formula. Needed for every text that people wrote. */
export function escapeFormula(text: string): string {
  return /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
