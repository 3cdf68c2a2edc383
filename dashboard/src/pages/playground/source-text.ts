/** A value as a TypeScript literal: unquoted keys where possible, single quotes, indented by two. */
export function sourceText(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((each: unknown) => sourceText(each, inner))
    : Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
        each === undefined ? [] : [`${keyText(key)}: ${sourceText(each, inner)}`],
      );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (lines.length === 0) return open + close;
  const flat = isList ? `[${lines.join(', ')}]` : `{ ${lines.join(', ')} }`;
  if (flat.length + indent.length <= 80 && !flat.includes('\n')) return flat;
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"');
  return `'${inner.replaceAll("'", String.raw`\'`)}'`;
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
}
