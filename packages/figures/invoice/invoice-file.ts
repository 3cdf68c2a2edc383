import { decimalText } from '../money.ts';
import {
  columnParts,
  figureFields,
  type FigureField,
  type InvoiceColumns,
  type InvoiceField,
} from './invoice-columns.ts';
import { InvoiceError, type Table, type TableRow } from './invoice-table.ts';
import { countIn, currencyIn, dayIn, isMidnightElsewhere, moneyIn } from './invoice-values.ts';

/** A row of an invoice in the body of the endpoint. */
export interface SentRow {
  readonly day: string;
  readonly model: string;
  readonly credential?: number | undefined;
  readonly input_tokens?: number | undefined;
  readonly cached_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly cost?: string | undefined;
}

export interface InvoiceOptions {
  readonly columns: InvoiceColumns;
  /** The credential of each key in the file, from 0. Rows of other keys are left out. Without it, all keys count as one. */
  readonly keys?: ReadonlyMap<string, number> | undefined;
  /** The upstream's name for models that the file names differently. */
  readonly models?: ReadonlyMap<string, string> | undefined;
}

export interface Invoice {
  /** One for each day, model and credential. */
  readonly rows: readonly SentRow[];
  /** The currency that the file names. */
  readonly currency: string | undefined;
  /** Number of rows of keys that `keys` does not have. */
  readonly skipped: number;
  /** Rows that are equal to an earlier one in every column, by number. They count. */
  readonly repeated: readonly number[];
}

/** The most lines that the endpoint compares at once. */
export const invoiceLinesMax = 10_000;

/** Adds up the usage that a provider exported. Throws an InvoiceError that names the row or the column. */
export function readInvoice(table: Table, options: InvoiceOptions): Invoice {
  const cells = new CellReader(table, options);
  const sums = new Map<string, RowSum>();
  const seen = new Set<string>();
  const repeated: number[] = [];
  let skipped = 0;
  for (const [index, row] of table.rows.entries()) {
    const number = table.firstRow + index;
    if (cells.isEmpty(row)) continue;
    const credential = options.keys?.get(cells.first(row, 'key') ?? '');
    if (options.keys && credential === undefined) {
      skipped += 1;
      continue;
    }
    const text = table.columns.map((name) => row[name] ?? '').join('\n');
    if (seen.has(text)) repeated.push(number);
    seen.add(text);
    const { day, model, figures } = cells.read(row, number);
    addRow(sums, { day, model: options.models?.get(model) ?? model, credential, figures });
  }
  if (sums.size === 0) throw new InvoiceError('empty');
  if (sums.size > invoiceLinesMax) throw new InvoiceError('too_many_lines', { lines: sums.size, max: invoiceLinesMax });
  return { rows: [...sums.values()].map(sentRow), currency: cells.currency(), skipped, repeated };
}

/** The different keys in the file, in their order. */
export function keysIn({ rows }: Table, { key }: InvoiceColumns): readonly string[] {
  return key === undefined ? [] : [...new Set(rows.map((row) => row[key] ?? ''))].filter((name) => name !== '');
}

type Figures = Readonly<Partial<Record<FigureField, bigint>>>;

interface RowSum {
  readonly day: string;
  readonly model: string;
  readonly credential: number | undefined;
  readonly figures: Figures;
}

/** Reads the cells of a table, and remembers its currency and its time zone. */
class CellReader {
  readonly #table: Table;
  readonly #columns: ReadonlyMap<InvoiceField, ReturnType<typeof columnParts>>;
  readonly #currencies = new Set<string>();
  #firstLocalDay: string | undefined;
  #hasOtherTimes = false;

  constructor(table: Table, { columns, keys }: InvoiceOptions) {
    this.#table = table;
    const given = Object.entries(columns) as [InvoiceField, string][];
    this.#columns = new Map(given.map(([field, text]) => [field, columnParts(text, table.columns)]));
    const listed = { columns: table.columns.join(', ') };
    for (const [field, { parts }] of this.#columns) {
      const unknown = parts.find((name) => !table.columns.includes(name));
      if (unknown !== undefined) throw new InvoiceError('column_unknown', { ...listed, field, name: unknown });
    }
    const needed = ['day', 'model', ...(keys ? (['key'] as const) : [])] as const;
    const missing = needed.find((field) => !this.#columns.has(field));
    const hasFigure = figureFields.some((field) => this.#columns.has(field));
    if (missing !== undefined || !hasFigure)
      throw new InvoiceError('column_missing', { ...listed, field: missing ?? 'input' });
  }

  /** Whether it has no model and no figure, as days without usage in some exports. */
  isEmpty(row: TableRow): boolean {
    return (['model', ...figureFields] as const).every((field) => this.#cells(row, field).length === 0);
  }

  first(row: TableRow, field: InvoiceField): string | undefined {
    return this.#cells(row, field)[0];
  }

  read(row: TableRow, number: number): Omit<RowSum, 'credential'> {
    const figures = figureFields.flatMap((field) => {
      const sum = this.#sum(row, field, number);
      return sum === undefined ? [] : [[field, sum]];
    });
    return {
      day: this.#day(row, number),
      model: this.#model(row, number),
      figures: Object.fromEntries(figures) as Figures,
    };
  }

  /** The only currency of all rows so far. */
  currency(): string | undefined {
    const [first, second] = this.#currencies;
    if (first !== undefined && second !== undefined) throw new InvoiceError('currencies', { first, second });
    // The bounds of such days are known, but the gateway's sums are those of UTC days.
    if (this.#firstLocalDay !== undefined && !this.#hasOtherTimes)
      throw new InvoiceError('days_not_utc', { value: this.#firstLocalDay });
    return first;
  }

  #day(row: TableRow, number: number): string {
    const cell = this.first(row, 'day') ?? '';
    if (isMidnightElsewhere(cell)) this.#firstLocalDay ??= cell;
    else this.#hasOtherTimes = true;
    return dayIn(cell) ?? this.#refuse('day', cell, number);
  }

  #model(row: TableRow, number: number): string {
    const cell = this.first(row, 'model') ?? this.#refuse('model', '', number);
    const [column = ''] = this.#columns.get('model')?.parts ?? [];
    return column.toLowerCase() === 'line_item' ? cell.replace(/, [a-z ]+$/, '') : cell;
  }

  #sum(row: TableRow, field: FigureField, number: number): bigint | undefined {
    const column = this.#columns.get(field);
    if (!column) return undefined;
    if (field === 'cost') this.#noteCurrency(row, column.parts);
    const { hasDecimalComma } = this.#table;
    // An empty cell is a 0 in most exports.
    return this.#cells(row, field).reduce((sum, cell) => {
      const value = field === 'cost' ? moneyIn(cell, hasDecimalComma, column.isCents) : countIn(cell, hasDecimalComma);
      return sum + (value ?? this.#refuse(field, cell, number));
    }, 0n);
  }

  #noteCurrency(row: TableRow, costColumns: readonly string[]): void {
    const cost = this.first(row, 'cost');
    if (cost === undefined) return;
    const named = this.first(row, 'currency') ?? currencyIn(cost);
    const currency = named ?? (costColumns.some((name) => /usd$/i.test(name)) ? 'USD' : undefined);
    if (currency !== undefined) this.#currencies.add(currency.toUpperCase());
  }

  /** The cells of a field that are not empty. */
  #cells(row: TableRow, field: InvoiceField): readonly string[] {
    const { parts = [] } = this.#columns.get(field) ?? {};
    return parts.map((name) => row[name] ?? '').filter((cell) => cell !== '');
  }

  #refuse(field: InvoiceField, value: string, row: number): never {
    const column = this.#columns.get(field)?.parts.join('+') ?? field;
    throw new InvoiceError('value_invalid', { row, field, column, value });
  }
}

function addRow(sums: Map<string, RowSum>, row: RowSum): void {
  const name = `${row.day} ${row.credential ?? ''} ${row.model}`;
  const before = sums.get(name)?.figures ?? {};
  const added = Object.entries(row.figures).map(([field, value]) => [
    field,
    (before[field as FigureField] ?? 0n) + value,
  ]);
  sums.set(name, { ...row, figures: Object.fromEntries(added) as Figures });
}

function sentRow({ day, model, credential, figures }: RowSum): SentRow {
  const { input, cached, output, cost } = figures;
  return {
    day,
    model,
    credential,
    input_tokens: input === undefined ? undefined : Number(input),
    cached_tokens: cached === undefined ? undefined : Number(cached),
    output_tokens: output === undefined ? undefined : Number(output),
    cost: cost === undefined ? undefined : decimalText(cost),
  };
}
