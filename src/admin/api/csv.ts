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
