import { fileLimits, parseForeign } from 'chat-formats/json/foreign-json.ts';

/** Why a usage export cannot be read. */
export type InvoiceProblem =
  | 'column_missing'
  | 'column_unknown'
  | 'currencies'
  | 'days_not_utc'
  | 'empty'
  | 'incomplete'
  | 'not_json'
  | 'quote_open'
  | 'row_too_long'
  | 'too_many_lines'
  | 'value_invalid';

/** The texts for people are those of the command and of the dashboard. */
export class InvoiceError extends Error {
  readonly problem: InvoiceProblem;
  readonly params: Readonly<Record<string, string | number>>;

  constructor(problem: InvoiceProblem, params: Readonly<Record<string, string | number>> = {}, cause?: unknown) {
    super(`${problem} ${JSON.stringify(params)}`, { cause });
    this.name = 'InvoiceError';
    this.problem = problem;
    this.params = params;
  }
}

/** One row, by the names of its columns. */
export type TableRow = Readonly<Record<string, string>>;

export interface Table {
  readonly rows: readonly TableRow[];
  readonly columns: readonly string[];
  /** The number of the first row for people: in a spreadsheet, the names of the columns are row 1. */
  readonly firstRow: number;
  /** Whether a comma in a number is a decimal comma. Files with semicolons come from such regions. */
  readonly hasDecimalComma: boolean;
}

/** The largest file. OpenAI's export of a month by minute has about 20 MB. */
export const invoiceBytesMax = 32 * 1024 * 1024;

/** Reads CSV or JSON, with or without a byte order mark. Throws an InvoiceError. */
export function tableIn(file: string): Table {
  const text = file.replace(/^\uFEFF?[\r\n]*/, '');
  return /^\s*[[{]/.test(text) ? jsonTable(text) : csvTable(text);
}

const delimiters = [',', ';', '\t'] as const;

/** Reads CSV with a row of names: RFC 4180, also with semicolons or tabs. */
function csvTable(text: string): Table {
  const delimiter = delimiterOf(text);
  const [head = [], ...lines] = csvRows(text, delimiter);
  const columns = head.map((name, index) => (head.indexOf(name) < index ? `${name} (${index + 1})` : name));
  const rows = lines.map((cells, index) => {
    // A number with an unquoted comma would move all cells after it.
    const { length } = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
    if (length > columns.length)
      throw new InvoiceError('row_too_long', { row: index + 2, cells: length, columns: columns.length });
    return Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? '']));
  });
  return { rows, columns, firstRow: 2, hasDecimalComma: delimiter === ';' };
}

/** The delimiter that the first line has most of, outside of quotes. */
function delimiterOf(text: string): string {
  const [first = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]+/, 1);
  const counts = delimiters.map((each) => first.split(each).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

function csvRows(text: string, delimiter: string): readonly (readonly string[])[] {
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)" *|([^"${delimiter}\\r\\n][^${delimiter}\\r\\n]*)?)(${delimiter}|\\r?\\n|\\r|$)`,
    'y',
  );
  const rows: string[][] = [[]];
  while (cell.lastIndex < text.length) {
    const [, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (end === undefined) throw new InvoiceError('quote_open', { row: rows.length });
    rows.at(-1)?.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    if (end !== delimiter) rows.push([]);
  }
  // Nothing follows the last line.
  if (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

/**
 * Reads JSON: a list of objects, or an object with such a list. The objects of a list inside an entry inherit its
 * fields, because some providers export one entry for each day with a list of `results`.
 */
function jsonTable(text: string): Table {
  const rows = rowsIn(parsed(text), {});
  // A page of an API, unless the file also has the last page.
  if (rows.length > 0 && rows.every((row) => row['has_more'] === 'true')) throw new InvoiceError('incomplete');
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { rows, columns, firstRow: 1, hasDecimalComma: false };
}

function parsed(text: string): unknown {
  try {
    return parseForeign(text, fileLimits, numberAsText);
  } catch (error) {
    throw new InvoiceError('not_json', {}, error);
  }
}

/** Keeps all digits of a number: money is never a float. */
function numberAsText(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

function rowsIn(value: unknown, inherited: TableRow): readonly TableRow[] {
  if (Array.isArray(value)) return value.flatMap((each) => rowsIn(each, inherited));
  if (!isObject(value)) return [];
  const fields = { ...inherited, ...textFields(value, '') };
  const lists = Object.values(value).filter((each) => Array.isArray(each) && each.some(isObject));
  return lists.length === 0 ? [fields] : lists.flatMap((list) => rowsIn(list, fields));
}

/** The fields as text. Those of an object inside have both names: `amount.value`. */
function textFields(value: object, prefix: string): TableRow {
  const fields: Record<string, string> = {};
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (typeof field === 'string' || typeof field === 'boolean') fields[prefix + name] = String(field).trim();
    else if (isObject(field) && prefix === '') Object.assign(fields, textFields(field, `${name}.`));
  }
  return fields;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
