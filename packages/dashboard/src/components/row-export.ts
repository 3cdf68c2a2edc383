import { saveFile } from '../api/download.ts';

type Cell = string | number | boolean | null | undefined;

/** One RFC 4180 record, with its line break. */
export function csvRecord(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: Cell): string {
  // A spreadsheet runs a text that begins like a formula.
  const isFormula = typeof value === 'string' && /^[=+@\t]|^-(?![\d.]+$)/.test(value);
  const text = isFormula ? `'${value}` : String(value ?? '');
  return /[",\r\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Saves these rows as a CSV file, with these fields as its columns. */
export function saveRows<Row>(name: string, fields: readonly (keyof Row & string)[], rows: readonly Row[]): void {
  const lines = [csvRecord(fields), ...rows.map((row) => csvRecord(fields.map((field) => row[field] as Cell)))];
  saveFile(`${name}.csv`, new Blob(lines, { type: 'text/csv' }));
}
