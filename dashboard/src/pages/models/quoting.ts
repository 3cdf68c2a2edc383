/** The key as a program says it: itself, or the variable that holds it. */
export function keyExpression(key: string | undefined): string {
  return key === undefined ? 'process.env.GATEWAY_KEY' : quoted(key);
}

/** A text between single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
