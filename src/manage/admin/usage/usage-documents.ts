import { z } from 'zod';
import { decimalText } from '../../../core/money.ts';
import type { RollupSums } from '../../../money/requests/rollups/usage-sums.ts';
import type { AdminParts } from '../parts.ts';
import {
  type NamedUsageLine,
  type UsageByDimension,
  usageByDimension,
  type UsageDimension,
  type UsageRequest,
} from './usage-figures.ts';
import { pointsQuery, type UsageSpan, usageSpan } from './usage-points.ts';
import { previousTotals } from './previous-totals.ts';
import { percentiles, percentilesDocument } from './percentile-documents.ts';
import { isoTime, moneySchema, timeSchema } from '../api/wire.ts';

const count = z.int();

const ownFigures = {
  requests: count,
  errors: count,
  client_gone: count.describe('Requests whose client disconnected before the end.'),
  prompt_tokens: count,
  cached_tokens: count.describe('Included in `prompt_tokens`.'),
  completion_tokens: count,
  reasoning_tokens: count.describe('Included in `completion_tokens`.'),
  spend: moneySchema.describe('Amount charged for the requests that began in this time.'),
  ...percentiles,
};

const operatorFigures = {
  ...ownFigures,
  provider_cost: moneySchema.describe('Cost at the providers, for routes that state their `cost`.'),
  costed_spend: moneySchema.describe('Amount charged for the requests with a known provider cost.'),
  margin: moneySchema.describe('`costed_spend` minus `provider_cost`.'),
};

const operatorLineFields = {
  account_id: z
    .string()
    .nullable()
    .describe('The account of `value`, if keys, members, users or tags of all accounts are listed.'),
  account_name: z.string().nullable(),
  calls: count
    .nullable()
    .describe('Attempts at the upstream, also those after which another upstream answered. Null for other dimensions.'),
  failed_calls: count.nullable().describe('Included in `calls`.'),
};

function lineFields<Figures extends z.ZodRawShape>(figures: Figures) {
  return {
    kind: z
      .enum(['value', 'none', 'other'])
      .describe('`none`: requests without this value. `other`: everything without a line of its own.'),
    value: z.string().nullable().describe('Null unless `kind` is `value`.'),
    name: z.string().nullable().describe('Name, if `value` is the id of something that still exists.'),
    ...figures,
    series: z
      .array(z.strictObject({ spend: moneySchema, requests: count, errors: count }))
      .describe('One entry per point. Empty except for the first lines.'),
  };
}

function usageFields<Figures extends z.ZodRawShape, More extends z.ZodRawShape>(figures: Figures, more: More) {
  return {
    since: timeSchema,
    until: timeSchema,
    interval: pointsQuery.interval.unwrap(),
    zone: z.string(),
    currency: z.string(),
    is_complete: z.boolean().describe('False while more requests wait to be added than a reader should wait for.'),
    has_whole_days: z
      .boolean()
      .describe('False if the time zone is not whole hours apart from UTC. Days then begin up to an hour late.'),
    points: z.array(z.strictObject({ at: timeSchema, until: timeSchema })).describe('Oldest first.'),
    totals: z.strictObject(figures),
    series: z.array(z.strictObject(figures)).describe('Totals of each point.'),
    previous: z
      .strictObject(figures)
      .nullable()
      .describe('Totals of the time of the same length directly before. Null if usage does not reach that far back.'),
    lines: z
      .array(z.strictObject({ ...lineFields(figures), ...more }))
      .describe('Lines that add up to the totals, except tags: a request counts for each of its tags.'),
  };
}

/** The dimensions of the rankings on an overview, and their order. */
const topDimensions = ['model', 'upstream', 'error'] as const;
type TopDimension = (typeof topDimensions)[number];
const topOrders = { model: 'cost', upstream: 'requests', error: 'errors' } as const;
const topMax = 8;

export const topQuery = {
  top: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(topDimensions)).max(topDimensions.length))
    .optional()
    .describe(
      `Also return the first ${topMax} lines along these dimensions, separated by commas: \`model\` by spend, \`upstream\` by requests, \`error\` by errors.`,
    ),
};

export const ownUsageReply = { name: 'UsageByDimension', schema: z.strictObject(usageFields(ownFigures, {})) };
const operatorUsage = usageFields(operatorFigures, operatorLineFields);
export const usageReply = {
  name: 'OperatorUsage',
  schema: z.strictObject({
    ...operatorUsage,
    top: z
      .array(z.strictObject({ by: z.enum(topDimensions), lines: operatorUsage.lines }))
      .describe('The first lines along each dimension of `top`.'),
  }),
};

export const linesQuery = {
  order: z.enum(['spend', 'requests', 'errors']).default('spend').describe('Lines with the most of it come first.'),
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Number of lines. One more line holds the rest.'),
  value: z
    .string()
    .max(512)
    .optional()
    .describe('Only the line of this value, with its series, and a line for the rest.'),
};

export const orders = { spend: 'cost', requests: 'requests', errors: 'errors' } as const;

type FiguresMapper = (sums: RollupSums) => Record<string, unknown>;

interface UsageMapper {
  readonly figures: FiguresMapper;
  /** Further fields of a line. */
  readonly more: (line: NamedUsageLine, by: UsageDimension) => Record<string, unknown>;
}

export async function ownUsageDocument(parts: AdminParts, request: UsageRequest, span: UsageSpanQuery) {
  return usageDocument(parts, request, span, { figures: ownFiguresOf, more: () => ({}) }) as Promise<
    z.input<typeof ownUsageReply.schema>
  >;
}

const operatorMapper: UsageMapper = {
  figures: operatorFiguresOf,
  more: (line, by) => operatorLineFieldsOf(line, by),
};

export async function usageDocumentOf(
  parts: AdminParts,
  request: UsageRequest & { readonly top?: readonly TopDimension[] | undefined },
  span: UsageSpanQuery,
) {
  const document = await usageDocument(parts, request, span, operatorMapper);
  const top = [];
  for (const by of request.top ?? []) {
    const terms = { ...request, by, order: topOrders[by], limit: topMax, value: undefined };
    const { lines } = await usageByDimension(parts.store, usageSpan(span, parts.clock.now()), terms);
    top.push({ by, lines: linesDocument(lines, by, operatorMapper) });
  }
  return { ...document, top } as z.input<typeof usageReply.schema>;
}

type UsageSpanQuery = z.output<z.ZodObject<typeof pointsQuery>>;

async function usageDocument(parts: AdminParts, request: UsageRequest, spanQuery: UsageSpanQuery, mapper: UsageMapper) {
  const { figures } = mapper;
  const span = usageSpan(spanQuery, parts.clock.now());
  const usage = await usageByDimension(parts.store, span, request);
  const [first] = span.points;
  const before = await previousTotals(parts.store, { ...request, ...span }, first ? first.until - first.at : 0);
  return {
    ...spanDocument(span, usage),
    currency: parts.currency(),
    totals: figures(usage.totals),
    series: usage.series.map(figures),
    previous: before ? figures(before.sums) : null,
    lines: linesDocument(usage.lines, request.by, mapper),
  };
}

function linesDocument(lines: readonly NamedUsageLine[], by: UsageDimension, { figures, more }: UsageMapper) {
  return lines.map((line) => ({ ...lineDocument(line, figures), ...more(line, by) }));
}

function spanDocument({ from, to, interval, zone, points, isExact }: UsageSpan, { isComplete }: UsageByDimension) {
  return {
    since: isoTime(from),
    until: isoTime(to),
    interval,
    zone,
    is_complete: isComplete,
    has_whole_days: isExact,
    points: points.map(({ at, until }) => ({ at: isoTime(at), until: isoTime(until) })),
  };
}

function lineDocument({ value, name, sums, series = [] }: NamedUsageLine, figures: FiguresMapper) {
  return {
    kind: value.kind,
    value: value.kind === 'value' ? value.value : null,
    name: name ?? null,
    ...figures(sums),
    series: series.map(({ cost, requests, errors }) => ({ spend: decimalText(cost), requests, errors })),
  };
}

function operatorLineFieldsOf({ value, accountName, sums }: NamedUsageLine, by: UsageDimension) {
  // Each answer is a call: requests without any are older than the count of calls.
  const hasCalls = by === 'upstream' && (sums.calls > 0 || sums.requests === 0 || value.kind === 'none');
  return {
    account_id: (value.kind === 'value' && value.accountId) || null,
    account_name: accountName ?? null,
    calls: hasCalls ? sums.calls : null,
    failed_calls: hasCalls ? sums.failed_calls : null,
  };
}

export function ownFiguresOf(sums: RollupSums) {
  const { requests, errors, client_gone, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens } = sums;
  const tokens = { prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens };
  return {
    requests,
    errors,
    client_gone,
    ...tokens,
    spend: decimalText(sums.cost),
    ...percentilesDocument(sums.histograms),
  };
}

export function operatorFiguresOf(sums: RollupSums) {
  return {
    ...ownFiguresOf(sums),
    provider_cost: decimalText(sums.provider_cost),
    costed_spend: decimalText(sums.costed),
    margin: decimalText(sums.costed - sums.provider_cost),
  };
}
