import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { type ReconciliationDocument, reconciliationEndpoints } from '../../manage/admin/money/reconciliations.ts';
import {
  figureFields,
  type InvoiceColumns,
  type InvoiceField,
  invoiceFields,
  usualColumns,
} from 'chat-gateway-figures/invoice/invoice-columns.ts';
import { type Invoice, keysIn, readInvoice } from 'chat-gateway-figures/invoice/invoice-file.ts';
import {
  invoiceBytesMax,
  InvoiceError,
  type InvoiceProblem,
  type Table,
  tableIn,
} from 'chat-gateway-figures/invoice/invoice-table.ts';
import { withAdmin } from '../admin-call.ts';
import { answer, type Cell, CliError, table } from '../terminal/output.ts';

interface ReconcileOptions {
  readonly provider: string;
  readonly column?: string;
  readonly keys?: string;
  readonly models?: string;
  readonly tolerance?: string;
}

export function registerReconcile(program: Command): void {
  program
    .command('reconcile')
    .argument('<file>', 'usage exported from the provider, as CSV or JSON')
    .requiredOption('--provider <upstream>', 'name of the upstream')
    .option(
      '--column <mapping>',
      `columns of the file, such as day=Date,input=In+Cached; fields: ${invoiceFields.join(', ')}; default: common names`,
    )
    .option('--keys <mapping>', 'credentials of the keys in the file, such as prod=0,batch=1; other keys are left out')
    .option('--models <mapping>', "upstream's names of models in the file, such as large-2026-06-01=large")
    .option('--tolerance <percent>', 'difference that is not reported, in percent; default: 0.5')
    .description("Compare a provider's invoice with the requests of the gateway. Days are UTC.")
    .action(run);
}

async function run(file: string, options: ReconcileOptions, command: Command): Promise<void> {
  const { provider, tolerance } = options;
  const { invoice, columns } = invoiceIn(file, options);
  await withAdmin(command, async (call) => {
    const { currency, rows } = invoice;
    const body = { upstream: provider, tolerance, currency, rows };
    const result = await call<ReconciliationDocument>(reconciliationEndpoints, 'reconcileInvoice', { body });
    const { skipped: skipped_rows, repeated: repeated_rows } = invoice;
    answer(command, {
      json: { ...result, skipped_rows, repeated_rows },
      text: () => resultText(result, invoice, columns),
    });
    if (result.different_lines > 0) process.exitCode = 1;
  });
}

interface ReadFile {
  readonly invoice: Invoice;
  readonly columns: InvoiceColumns;
}

function invoiceIn(file: string, options: ReconcileOptions): ReadFile {
  const given = columnMapping(options.column);
  const models = mappingOf('--models', options.models);
  try {
    const read = tableIn(contentOf(file));
    const columns = { ...usualColumns(read), ...given };
    return { invoice: readInvoice(read, { columns, keys: credentialsOf(read, given, options.keys), models }), columns };
  } catch (error) {
    if (!(error instanceof InvoiceError)) throw error;
    const { problem, params } = error;
    const needed = needs[String(params['field'])] ?? '';
    const exitCode = usageProblems.has(problem) ? 2 : 1;
    // Which parameters a text has depends on its problem.
    throw new CliError(`invoice_${problem}`, { file, ...params, needed } as never, { exitCode, cause: error });
  }
}

/** Problems that other options solve. */
const usageProblems: ReadonlySet<InvoiceProblem> = new Set(['column_missing', 'column_unknown']);

const needs: Readonly<Record<string, string>> = {
  day: 'a day such as 2026-11-01, a time such as 2026-11-01T08:00Z, or Unix seconds',
  model: 'the name of a model',
  input: 'a whole number',
  cached: 'a whole number',
  output: 'a whole number',
  cost: 'a decimal number',
} satisfies Partial<Record<InvoiceField, string>>;

function contentOf(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > invoiceBytesMax) throw new CliError('invoice_too_large', { file, bytes: size, max: invoiceBytesMax });
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw new CliError('invoice_unreadable', { file, problem }, { cause: error });
  }
}

/** The credential of each key. A column of keys that the operator names without --keys has the indexes themselves. */
function credentialsOf(
  read: Table,
  given: InvoiceColumns,
  option: string | undefined,
): ReadonlyMap<string, number> | undefined {
  if (option === undefined && given.key === undefined) return undefined;
  const pairs =
    option === undefined ? keysIn(read, given).map((key) => [key, key] as const) : mappingOf('--keys', option);
  return new Map(
    [...pairs].map(([key, index]) => {
      if (!/^\d{1,4}$/.test(index)) throw new CliError('invalid_key_index', { key, value: index }, { exitCode: 2 });
      return [key, Number(index)];
    }),
  );
}

function columnMapping(text: string | undefined): InvoiceColumns {
  const mapping = mappingOf('--column', text);
  const fields: readonly string[] = invoiceFields;
  const unknown = [...mapping.keys()].find((field) => !fields.includes(field));
  if (unknown === undefined) return Object.fromEntries(mapping);
  throw new CliError('invalid_column_field', { field: unknown, fields: fields.join(', ') }, { exitCode: 2 });
}

/** Parses `a=b,c=d`. */
function mappingOf(option: string, text: string | undefined): ReadonlyMap<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '');
  return new Map(
    pairs.map((pair) => {
      const [, name = '', value = ''] = /^([^=]+)=(.+)$/.exec(pair.trim()) ?? [];
      if (name === '') throw new CliError('invalid_mapping', { option, value: pair }, { exitCode: 2 });
      return [name.trim(), value.trim()];
    }),
  );
}

type Line = ReconciliationDocument['lines'][number];
type Figures = Line['invoice'];

function resultText(result: ReconciliationDocument, { skipped, repeated }: Invoice, columns: InvoiceColumns): string {
  const { lines, different_lines: count, missing_records: missing } = result;
  const head = ['day', 'model', 'credential', 'of', 'tokens in', 'cached', 'tokens out', `cost ${result.currency}`];
  const absent = figureFields.filter((field) => columns[field] === undefined);
  const parts = [
    table(
      head,
      lines.flatMap((line) => rowsOf(line, result.by_credential)),
    ),
    count === 0
      ? `No difference above ${result.tolerance} % from ${result.from} to ${result.to}.`
      : colors.yellow(`${count} of ${lines.length} lines differ by more than ${result.tolerance} %.`),
    ...lines.filter(({ different }) => different.length > 0).map(explanationOf),
    ...missing.map(({ day, requests }) => `${day}: ${requests} requests are no longer in the log.`),
    ...result.matched_models.map(({ invoice, model }) => `${invoice} on the invoice was compared with ${model}.`),
    ...(skipped > 0 ? [`${skipped} rows of other keys were left out.`] : []),
    ...(repeated.length > 0 ? [repeatedText(repeated)] : []),
    ...(absent.length > 0 ? [`Not compared, because the file has no column for it: ${absent.join(', ')}.`] : []),
  ];
  return parts.join('\n\n');
}

function repeatedText(rows: readonly number[]): string {
  const more = rows.length > shownMax ? ', …' : '';
  return `Rows of the file that equal an earlier row in every column: ${rows.slice(0, shownMax).join(', ')}${more}.`;
}

function rowsOf(line: Line, byCredential: boolean): Cell[][] {
  const { invoice, own, charged, difference, different } = line;
  const key = [line.day, line.model, byCredential ? String(line.credential ?? 'unknown') : 'all'];
  const customers = ['', '', '', 'charged', '', '', '', charged];
  const rows: Cell[][] = [
    [...key, 'invoice', ...figureCells(invoice)],
    ['', '', '', 'gateway', ...figureCells(own)],
    customers,
  ];
  if (different.length === 0) return rows;
  const texts = figureCells(difference);
  const painted = texts.map((text, index): Cell => {
    const name = figureNames[index];
    return name && different.includes(name) ? { text, paint: colors.yellow } : text;
  });
  return [...rows, ['', '', '', 'difference', ...painted]];
}

const figureNames = ['input_tokens', 'cached_tokens', 'output_tokens', 'cost'] as const;

function figureCells(figures: Figures): string[] {
  return figureNames.map((name) => {
    const value = figures[name];
    return typeof value === 'number' ? value.toLocaleString('en-US') : (value ?? '-');
  });
}

/** Requests in the text; `--json` has all. */
const shownMax = 5;

function explanationOf({ day, model, credential, reasons, requests }: Line): string {
  const name = `${day} ${model}${credential === null ? '' : `, credential ${credential}`}`;
  const found = Object.entries(reasons).map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`);
  if (found.length === 0) return `${name}: no request explains the difference.`;
  const listed = requests.slice(0, shownMax).map((request) => {
    return `  ${request.id}  ${request.reasons.join(', ').replaceAll('_', ' ')}`;
  });
  const more = requests.length > shownMax ? ['  --json lists more.'] : [];
  return [`${name}: ${found.join(', ')}`, ...listed, ...more].join('\n');
}
