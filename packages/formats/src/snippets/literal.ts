/** The rules by which a language writes values. */
interface LiteralStyle {
  readonly indent: string;
  /** Between a brace and the fields on its line. */
  readonly padding: string;
  readonly trailingComma: string;
  readonly text: (text: string) => string;
  readonly key: (name: string) => string;
  readonly constants: Readonly<Record<string, string>>;
}

const widthMax = 80;

/** A value as a literal. A value wider than `width` is broken into lines; 0 always breaks the outermost value. */
export function literal(value: unknown, style: LiteralStyle, indent = '', width = widthMax): string {
  if (typeof value === 'function') return (value as Expression)((each) => literal(each, style, indent));
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object' || value === null) {
    return style.constants[String(value)] ?? JSON.stringify(value ?? null);
  }
  const inner = indent + style.indent;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((each: unknown) => literal(each, style, inner))
    : fieldsOf(value).map(([key, each]) => `${style.key(key)}: ${literal(each, style, inner)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  const padding = isList ? '' : style.padding;
  const flat = open + padding + parts.join(', ') + padding + close;
  if (flat.length + indent.length <= width && !flat.includes('\n')) return flat;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}${style.trailingComma}\n${indent}${close}`;
}

/** Source that stands in a literal. It gets a function that writes its values. */
export type Expression = (write: (value: unknown) => string) => string;

export const json: LiteralStyle = {
  indent: '  ',
  padding: '',
  trailingComma: '',
  text: JSON.stringify,
  key: JSON.stringify,
  constants: {},
};

export const python: LiteralStyle = {
  ...json,
  indent: '    ',
  trailingComma: ',',
  constants: { null: 'None', undefined: 'None', true: 'True', false: 'False' },
};

export const typescript: LiteralStyle = {
  ...json,
  padding: ' ',
  trailingComma: ',',
  text: singleQuoted,
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : singleQuoted(name)),
};

/** The fields of an object as arguments of a call in Python, one per line. */
export function pythonArguments(fields: object): string {
  return fieldsOf(fields)
    .map(([name, value]) => `    ${name}=${literal(value, python, '    ')},\n`)
    .join('');
}

/** A text as one word of a shell command, in double quotes unless the shell would expand it there. */
export function shellWord(text: string): string {
  return /["$`\\!]/.test(text) ? shellQuoted(text) : `"${text}"`;
}

/** A text in single quotes for the shell. Only the quote itself needs escaping. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function singleQuoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll(String.raw`\"`, '"');
  return `'${inner.replaceAll("'", String.raw`\'`)}'`;
}

function fieldsOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, each]) => each !== undefined);
}
