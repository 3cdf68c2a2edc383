import { decimalText } from '../../core/money.ts';
import { CliError } from '../output.ts';
import { csvTable, type Table, type TableRow } from './csv-rows.ts';
import { countIn, dayIn, moneyIn } from './invoice-values.ts';
import { jsonTable } from './json-rows.ts';

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
  /** For error messages. */
  readonly file: string;
  /** The columns of fields. `a+b` adds columns up. */
  readonly columns: ReadonlyMap<string, string>;
  /** The credential of each key in the file. Rows of other keys are left out. */
  readonly keys: ReadonlyMap<string, string> | undefined;
  /** The upstream's name for models that the file names differently. */
  readonly models: ReadonlyMap<string, string>;
}

export interface Invoice {
  /** One for each day, model and credential. */
  readonly rows: readonly SentRow[];
  /** Rows of keys that `keys` does not have. */
  readonly skipped: number;
}

export const invoiceFields = ['day', 'model', 'input', 'cached', 'output', 'cost', 'key'] as const;
type Field = (typeof invoiceFields)[number];

/** Names in the exports of several providers, in lower case. */
const usualColumns: Readonly<Record<Field, readonly string[]>> = {
  day: ['day', 'date', 'usage_date_utc', 'utc_date', 'usage_date', 'start_time', 'starting_at', 'timestamp', 'time'],
  model: ['model', 'model_version', 'model_name', 'model_id', 'upstream_model'],
  input: [
    'input',
    'input_tokens',
    'prompt_tokens',
    'tokens_prompt',
    'usage_input_tokens_no_cache+usage_input_tokens_cache_write_5m+usage_input_tokens_cache_write_1h+usage_input_tokens_cache_read',
    'uncached_input_tokens+cache_creation.ephemeral_5m_input_tokens+cache_creation.ephemeral_1h_input_tokens+cache_read_input_tokens',
  ],
  cached: [
    'cached',
    'cached_tokens',
    'cached_input_tokens',
    'input_cached_tokens',
    'usage_input_tokens_cache_read',
    'cache_read_input_tokens',
  ],
  output: ['output', 'output_tokens', 'completion_tokens', 'tokens_completion', 'usage_output_tokens'],
  cost: ['cost', 'cost_usd', 'total_cost', 'amount', 'amount.value', 'charge'],
  key: ['key', 'credential', 'api_key_id', 'api_key', 'api_key_name', 'key_name'],
};

/** Reads the usage that a provider exported. Throws a CliError that names the row or the option. */
export function readInvoice(text: string, options: InvoiceOptions): Invoice {
  const table = tableIn(text, options.file);
  const columns = columnsOf(table, options);
  const sums = new Map<string, RowSum>();
  let skipped = 0;
  for (const [index, row] of table.rows.entries()) {
    const read = new RowReader(row, { table, columns, options, number: index + 1 });
    if (read.isEmpty) continue;
    const credential = credentialOf(read, options);
    if (credential === 'other') skipped += 1;
    else addRow(sums, read, credential);
  }
  if (sums.size === 0) throw new CliError('invoice_empty', { file: options.file });
  return { rows: [...sums.values()].map(sentRow), skipped };
}

function tableIn(text: string, file: string): Table {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return csvTable(text);
  try {
    return jsonTable(text);
  } catch (error) {
    throw new CliError('invoice_not_json', { file }, { cause: error });
  }
}

type Columns = ReadonlyMap<Field, readonly string[]>;

/** The columns of each field: the given ones, or the first usual ones that the file has. */
function columnsOf(table: Table, { file, columns: given }: InvoiceOptions): Columns {
  const names = new Map(table.columns.map((name) => [name.toLowerCase().replaceAll(' ', '_'), name]));
  const found = new Map<Field, readonly string[]>();
  const listed = { file, columns: table.columns.join(', ') };
  for (const field of invoiceFields) {
    const wanted = given.get(field);
    const parts = wanted?.split('+') ?? [];
    const unknown = parts.find((name) => !table.columns.includes(name));
    if (unknown !== undefined) throw new CliError('invoice_column_unknown', { ...listed, field, name: unknown }, usage);
    const usual = usualColumns[field].map((each) => each.split('+').map((name) => names.get(name)));
    const match = wanted === undefined ? usual.find(isComplete) : parts;
    if (match) found.set(field, match);
  }
  const missing = (['day', 'model'] as const).find((field) => !found.has(field)) ?? missingFigure(found);
  if (missing !== undefined) throw new CliError('invoice_column_missing', { ...listed, field: missing }, usage);
  return found;
}

const usage = { exitCode: 2 } as const;

function isComplete(names: (string | undefined)[]): names is string[] {
  return names.every((name) => name !== undefined);
}

/** An invoice needs at least one figure. */
function missingFigure(found: Columns): Field | undefined {
  return (['input', 'cached', 'output', 'cost'] as const).some((field) => found.has(field)) ? undefined : 'input';
}

interface RowPlace {
  readonly table: Table;
  readonly columns: Columns;
  readonly options: InvoiceOptions;
  /** From 1, without the line of names. */
  readonly number: number;
}

class RowReader {
  readonly #row: TableRow;
  readonly #place: RowPlace;

  constructor(row: TableRow, place: RowPlace) {
    this.#row = row;
    this.#place = place;
  }

  /** Whether it has no model and no figure, as days without usage in some exports. */
  get isEmpty(): boolean {
    return (['model', 'input', 'cached', 'output', 'cost'] as const).every((field) => this.#cells(field).length === 0);
  }

  get day(): string {
    const [cell = ''] = this.#cells('day');
    return dayIn(cell) ?? this.#refuse('day', cell);
  }

  get model(): string {
    const [cell = ''] = this.#cells('model');
    return this.#place.options.models.get(cell) ?? (cell === '' ? this.#refuse('model', cell) : cell);
  }

  get key(): string | undefined {
    return this.#cells('key')[0];
  }

  count(field: 'input' | 'cached' | 'output'): bigint | undefined {
    return this.#sum(field, countIn);
  }

  get cost(): bigint | undefined {
    return this.#sum('cost', moneyIn);
  }

  refuseKey(key: string): never {
    return this.#refuse('key', key);
  }

  #sum(field: Field, parse: typeof countIn): bigint | undefined {
    const { columns, table } = this.#place;
    if (!columns.has(field)) return undefined;
    // An empty cell is a 0 in most exports.
    return this.#cells(field).reduce((sum, cell) => {
      return sum + (parse(cell, table.hasDecimalComma) ?? this.#refuse(field, cell));
    }, 0n);
  }

  /** The cells of a field that are not empty. */
  #cells(field: Field): readonly string[] {
    const names = this.#place.columns.get(field) ?? [];
    return names.map((name) => (this.#row[name] ?? '').trim()).filter((cell) => cell !== '');
  }

  #refuse(field: Field, value: string): never {
    const { number, options, columns } = this.#place;
    const column = columns.get(field)?.join('+') ?? field;
    throw new CliError('invoice_value_invalid', {
      file: options.file,
      row: number,
      column,
      value,
      needed: needs[field],
    });
  }
}

const needs: Readonly<Record<Field, string>> = {
  day: 'a day such as 2026-11-01, a time such as 2026-11-01T08:00Z, or Unix seconds',
  model: 'the name of a model',
  input: 'a whole number',
  cached: 'a whole number',
  output: 'a whole number',
  cost: 'a decimal number',
  key: 'the index of a credential; --keys NAME=INDEX maps names',
};

/** `undefined`: the comparison is by day and model. `other`: the row is not of this gateway. */
function credentialOf(read: RowReader, { keys, columns }: InvoiceOptions): number | 'other' | undefined {
  const { key } = read;
  if (keys) {
    const index = keys.get(key ?? '');
    if (index === undefined) return 'other';
    return isIndex(index) ? Number(index) : read.refuseKey(index);
  }
  // A column that the operator did not name may have names of keys, which say nothing without --keys.
  if (!columns.has('key')) return undefined;
  return key !== undefined && isIndex(key) ? Number(key) : read.refuseKey(key ?? '');
}

function isIndex(text: string): boolean {
  return /^\d{1,4}$/.test(text);
}

interface RowSum {
  readonly day: string;
  readonly model: string;
  readonly credential: number | undefined;
  readonly input: bigint | undefined;
  readonly cached: bigint | undefined;
  readonly output: bigint | undefined;
  readonly cost: bigint | undefined;
}

function addRow(sums: Map<string, RowSum>, read: RowReader, credential: number | undefined): void {
  const { day, model } = read;
  const name = `${day} ${credential ?? ''} ${model}`;
  const sum = sums.get(name);
  sums.set(name, {
    day,
    model,
    credential,
    input: added(sum?.input, read.count('input')),
    cached: added(sum?.cached, read.count('cached')),
    output: added(sum?.output, read.count('output')),
    cost: added(sum?.cost, read.cost),
  });
}

function added(sum: bigint | undefined, value: bigint | undefined): bigint | undefined {
  return value === undefined ? sum : (sum ?? 0n) + value;
}

function sentRow({ day, model, credential, input, cached, output, cost }: RowSum): SentRow {
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
