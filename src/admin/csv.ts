/** One RFC 4180 record, without its line break. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(quoted).join(',');
}

/** Keeps a spreadsheet from running text as a formula. Needed for every text that people wrote. */
export function harmless(text: string): string {
  return /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
