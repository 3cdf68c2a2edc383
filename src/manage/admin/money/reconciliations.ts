import { z } from 'zod';
import { readRows } from '../../../money/catalog/resource-rows.ts';
import { breaks } from '../../../platform/config/file/wording.ts';
import { invoiceLinesMax } from 'chat-gateway-figures/invoice/invoice-file.ts';
import { decimalText, nanoFrom, scaled } from '../../../core/money.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { dayMs } from '../../../core/time/calendar-day.ts';
import type { FigureField } from 'chat-gateway-figures/invoice/invoice-columns.ts';
import { explainingMax, explainingReasons } from '../../../money/requests/reconcile/explaining-requests.ts';
import { matchModels } from '../../../money/requests/reconcile/model-names.ts';
import type { OwnFigures } from '../../../money/requests/reconcile/own-usage.ts';
import { readOwnUsage } from '../../../money/requests/reconcile/read-own-usage.ts';
import {
  daysOf,
  hasCost,
  type InvoiceRow,
  isByCredential,
  reconcile,
  type ReconciledLine,
  totalsOf,
} from '../../../money/requests/reconcile/reconcile.ts';
import { actionEndpoint, type Endpoint } from '../api/endpoint.ts';
import { missing, refused } from '../api/sent-values.ts';
import { idSchema, isoTime, moneySchema, timeSchema } from '../api/wire.ts';
import type { AdminParts } from '../parts.ts';

/** A quarter, and a day at each end. */
const invoiceDaysMax = 94;

const daySchema = z.iso.date(breaks('not_a_time', { example: '2026-01-31' })).describe('A UTC day.');
/** The sum of all rows is still an exact number. */
const tokens = z
  .int()
  .min(0)
  .max(Math.floor(Number.MAX_SAFE_INTEGER / invoiceLinesMax));
const credentialText = 'Index of the credential in the list of the upstream, from 0.';

const rowSchema = z.strictObject({
  day: daySchema,
  model: z.string().min(1).max(200).describe('The upstream’s name for the model.'),
  credential: z.int().min(0).max(10_000).optional().describe(credentialText),
  input_tokens: tokens.optional().describe('All input tokens, cached ones included.'),
  cached_tokens: tokens.optional(),
  output_tokens: tokens.optional(),
  cost: z
    .string()
    .regex(/^-?\d{1,9}(\.\d{1,9})?$/, breaks('not_a_signed_decimal', { digits: 9 }))
    .optional()
    .describe('A decimal in quotes, in the currency of the gateway.'),
});

const bodySchema = z.strictObject({
  upstream: idSchema.describe('Name of the upstream.'),
  tolerance: z
    .string()
    .regex(/^\d{1,2}(\.\d{1,4})?$/, breaks('not_a_decimal', { whole: 2, places: 4 }))
    .default('0.5')
    .describe('Differences up to this percentage of the larger side are not reported.'),
  currency: z
    .string()
    .max(16)
    .optional()
    .describe('The currency that the invoice names. The gateway refuses another one than its own.'),
  rows: z
    .array(rowSchema)
    .min(1)
    .max(invoiceLinesMax)
    .describe(
      'The usage that the provider charges for. Rows of one day, model and credential are added up. Unless all rows have a `credential`, the credentials of a model are compared together. Figures that no row has are not compared.',
    ),
});

const figuresSchema = z.strictObject({
  input_tokens: z.int().nullable(),
  cached_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  cost: moneySchema.nullable(),
});

const ownSchema = figuresSchema.extend({
  attempts: z.int().describe('Calls to the provider, failed ones included.'),
  failed_attempts: z.int(),
  answers: z.int().describe('Requests whose usage is included.'),
  answers_without_cost: z.int().describe('Of these, the requests whose route had no `cost`.'),
});

const reasonSchema = z.enum(explainingReasons);

const requestSchema = z.strictObject({
  id: z.string(),
  started_at: timeSchema,
  reasons: z.array(reasonSchema),
  tokens: z.int().describe('Its recorded tokens, in and out.'),
});

const lineSchema = z.strictObject({
  day: daySchema,
  model: z.string(),
  credential: z.int().nullable().describe(`${credentialText} Null: all credentials, or an unknown one.`),
  invoice: figuresSchema.describe('Null: the invoice does not have the figure.'),
  own: ownSchema.describe('By the records of the gateway. The cost is null if no route had a `cost`.'),
  charged: moneySchema.describe('Charges of the accounts for these answers.'),
  difference: figuresSchema.describe('Invoice minus own. Null: not compared.'),
  different: z
    .array(z.enum(['input_tokens', 'cached_tokens', 'output_tokens', 'cost']))
    .describe('The figures whose difference is above the tolerance.'),
  reasons: z
    .partialRecord(reasonSchema, z.int())
    .describe('Number of requests for each reason that may explain the difference.'),
  requests: z.array(requestSchema).describe(`These requests, the most telling first, at most ${explainingMax}.`),
});

const replySchema = z.strictObject({
  upstream: z.string(),
  currency: z.string(),
  from: daySchema.describe('The first day of the rows.'),
  to: daySchema.describe('The last day of the rows.'),
  tolerance: z.string(),
  by_credential: z.boolean(),
  different_lines: z.int().describe('Number of lines with a difference above the tolerance.'),
  missing_records: z
    .array(z.strictObject({ day: daySchema, requests: z.int() }))
    .describe('Days of which requests are no longer in the log. The own figures of these days are too low.'),
  matched_models: z
    .array(z.strictObject({ invoice: z.string(), model: z.string() }))
    .describe(
      'Models of the invoice that were compared with the model of another name: without its date, for example.',
    ),
  totals: z
    .strictObject({
      invoice: figuresSchema,
      own: ownSchema,
      charged: moneySchema,
      difference: figuresSchema.describe('Null: not compared in every line.'),
    })
    .describe('The sums of all lines.'),
  lines: z.array(lineSchema),
});

export type ReconciliationDocument = z.input<typeof replySchema>;

export const reconciliationEndpoints: readonly Endpoint[] = [
  actionEndpoint('POST /admin/v1/reconciliations', 'reconcileInvoice', 'operator', {
    summary: 'Compare the usage that a provider charges for with the requests of the gateway. This reads all of them.',
    body: { name: 'Invoice', schema: bodySchema, inside: [{ name: 'InvoiceRow', schema: rowSchema }] },
    reply: {
      name: 'Reconciliation',
      schema: replySchema,
      inside: [
        { name: 'ReconciledLine', schema: lineSchema },
        { name: 'ReconciledFigures', schema: figuresSchema },
        { name: 'OwnFigures', schema: ownSchema },
        { name: 'ExplainingRequest', schema: requestSchema },
      ],
    },
    run: async ({ parts, body }) => reconciliation(parts, body),
  }),
];

async function reconciliation(
  parts: AdminParts,
  { upstream, tolerance, currency: named, rows: sent }: z.output<typeof bodySchema>,
): Promise<ReconciliationDocument> {
  const currency = parts.currency();
  if (named !== undefined && named !== currency && sent.some(({ cost }) => cost !== undefined))
    throw refused(reason('invoice_currency_differs', { invoiced: named, currency }));
  const rows = sent.map(invoiceRow);
  const days = daysOf(rows) ?? { from: 0, to: 0 };
  const count = (days.to - days.from) / dayMs + 1;
  if (count > invoiceDaysMax) throw refused(reason('invoice_too_long', { days: count, max: invoiceDaysMax }));
  const query = { upstream, byCredential: isByCredential(rows), ...days };
  const { lines: own, missingRecords } = await readOwnUsage(parts.store, query);
  // An upstream that was removed may still have requests.
  if (own.length === 0 && !(await isConfigured(parts, upstream))) throw missing('upstream');
  const matched = matchModels(
    rows,
    own.map(({ key }) => key.model),
  );
  const names = new Map(matched.map(({ invoice, model }) => [invoice, model]));
  const renamed = rows.map((row) => ({ ...row, model: names.get(row.model) ?? row.model }));
  const lines = reconcile(renamed, own, scaled(tolerance, 4));
  const totals = totalsOf(lines);
  return {
    upstream,
    currency,
    from: dayText(days.from),
    to: dayText(days.to),
    tolerance,
    by_credential: query.byCredential,
    different_lines: lines.filter(({ different }) => different.length > 0).length,
    missing_records: [...missingRecords].map(([day, requests]) => ({ day: dayText(day), requests })),
    matched_models: matched.map((each) => ({ ...each })),
    totals: {
      invoice: figuresDocument(totals.invoice),
      own: ownDocument(totals.own),
      charged: decimalText(totals.own.charged),
      difference: figuresDocument(totals.difference),
    },
    lines: lines.map(lineDocument),
  };
}

async function isConfigured({ store }: AdminParts, upstream: string): Promise<boolean> {
  return (await readRows(store.db)).some(({ kind, name }) => kind === 'upstream' && name === upstream);
}

function invoiceRow({ day, cost, ...row }: z.output<typeof rowSchema>): InvoiceRow {
  return {
    day: Date.parse(day),
    model: row.model,
    credential: row.credential,
    ...(row.input_tokens !== undefined && { input: row.input_tokens }),
    ...(row.cached_tokens !== undefined && { cached: row.cached_tokens }),
    ...(row.output_tokens !== undefined && { output: row.output_tokens }),
    ...(cost !== undefined && { cost: nanoFrom(cost) }),
  };
}

function lineDocument(line: ReconciledLine): z.input<typeof lineSchema> {
  const { key, own } = line;
  return {
    day: dayText(key.day),
    model: key.model,
    credential: key.credential ?? null,
    invoice: figuresDocument(line.invoice),
    own: ownDocument(own),
    charged: decimalText(own.charged),
    difference: figuresDocument(line.difference),
    different: line.different.map((name) => wireNames[name]),
    reasons: { ...line.reasons },
    requests: line.requests.map(({ id, startedAt, reasons, tokens: count }) => {
      return { id, started_at: isoTime(startedAt), reasons: [...reasons], tokens: count };
    }),
  };
}

function ownDocument(own: OwnFigures): z.input<typeof ownSchema> {
  return {
    ...figuresDocument({ ...own, cost: hasCost(own) ? own.cost : undefined }),
    attempts: own.attempts,
    failed_attempts: own.failedAttempts,
    answers: own.answers,
    answers_without_cost: own.answersWithoutCost,
  };
}

const wireNames = {
  input: 'input_tokens',
  cached: 'cached_tokens',
  output: 'output_tokens',
  cost: 'cost',
} as const satisfies Record<FigureField, string>;

interface SomeFigures extends Partial<Record<Exclude<FigureField, 'cost'>, number>> {
  readonly cost?: bigint | undefined;
}

function figuresDocument({ input, cached, output, cost }: SomeFigures): z.input<typeof figuresSchema> {
  return {
    input_tokens: input ?? null,
    cached_tokens: cached ?? null,
    output_tokens: output ?? null,
    cost: cost === undefined ? null : decimalText(cost),
  };
}

function dayText(day: number): string {
  return isoTime(day).slice(0, 10);
}
