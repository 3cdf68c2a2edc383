/** One line of a table as RFC 4180 has it, without its end. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(quoted).join(',');
}

/** A text that begins like a formula is one to a spreadsheet; what people wrote is made harmless. */
export function harmless(text: string): string {
  return /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
