/** The function `translate` of PostgreSQL, for SQLite. Both lists have the same length. */
export function translate(text: unknown, from: string, to: string): string | null {
  if (typeof text !== 'string') return null;
  let result = '';
  for (const letter of text) {
    const at = from.indexOf(letter);
    result += at < 0 ? letter : to.charAt(at);
  }
  return result;
}
