import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import colors from 'picocolors';
import { type ReconciliationDocument, reconciliationEndpoints } from '../../admin/money/reconciliations.ts';
import { withAdmin } from '../admin-call.ts';
import { answer, type Cell, CliError, table } from '../output.ts';
import { type Invoice, invoiceFields, readInvoice } from './invoice-file.ts';

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
  const invoice = readInvoice(contentOf(file), {
    file,
    columns: columnMapping(options.column),
    keys: options.keys === undefined ? undefined : mappingOf('--keys', options.keys),
    models: mappingOf('--models', options.models),
  });
  await withAdmin(command, async (call) => {
    const body = { upstream: provider, tolerance, rows: invoice.rows };
    const result = await call<ReconciliationDocument>(reconciliationEndpoints, 'reconcileInvoice', { body });
    answer(command, {
      json: { ...result, skipped_rows: invoice.skipped },
      text: () => resultText(result, invoice),
    });
    if (result.different_lines > 0) process.exitCode = 1;
  });
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CliError('invoice_unreadable', { file, problem }, { cause: error });
  }
}

function columnMapping(text: string | undefined): ReadonlyMap<string, string> {
  const mapping = mappingOf('--column', text);
  const fields: readonly string[] = invoiceFields;
  const unknown = [...mapping.keys()].find((field) => !fields.includes(field));
  if (unknown === undefined) return mapping;
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

function resultText(result: ReconciliationDocument, { skipped }: Invoice): string {
  const { lines, different_lines: count, missing_records: missing } = result;
  const head = ['day', 'model', 'credential', 'of', 'tokens in', 'cached', 'tokens out', `cost ${result.currency}`];
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
    ...(skipped > 0 ? [`${skipped} rows of other keys were left out.`] : []),
  ];
  return parts.join('\n\n');
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
  const counts = Object.entries(reasons).map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`);
  if (counts.length === 0) return `${name}: no request explains the difference.`;
  const listed = requests.slice(0, shownMax).map((request) => {
    return `  ${request.id}  ${request.reasons.join(', ').replaceAll('_', ' ')}`;
  });
  const more = requests.length > shownMax ? ['  --json lists more.'] : [];
  return [`${name}: ${counts.join(', ')}`, ...listed, ...more].join('\n');
}
