/** The key as a TypeScript expression: a literal, or the environment variable. */
export function keyExpression(key: string | undefined): string {
  return key === undefined ? 'process.env.GATEWAY_KEY' : quoted(key);
}

/** A text in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
