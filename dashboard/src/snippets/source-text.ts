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

/** An object as a TypeScript literal with one field per line. */
export function sourceFields(fields: object): string {
  const lines = fieldsOf(fields).map(([name, value]) => `  ${keyText(name)}: ${sourceText(value, '  ')},\n`);
  return `{\n${lines.join('')}}`;
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"');
  return `'${inner.replaceAll("'", String.raw`\'`)}'`;
}

function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key);
}

/** A value as a Python literal, indented by four: JSON except for `None`, `True` and `False`. */
export function pythonText(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((each: unknown) => pythonText(each, inner))
    : fieldsOf(value).map(([key, each]) => `${JSON.stringify(key)}: ${pythonText(each, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const flat = open + lines.join(', ') + close;
  if (flat.length + indent.length <= 80 && !flat.includes('\n')) return flat;
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
}

/** The fields of an object as call arguments, one per line. */
export function pythonArguments(fields: object): string {
  return fieldsOf(fields)
    .map(([name, value]) => `    ${name}=${pythonText(value, '    ')},\n`)
    .join('');
}

function fieldsOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, each]) => each !== undefined);
}
