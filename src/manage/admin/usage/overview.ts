import { z } from 'zod';
import { accountAt } from '../accounts/accounts.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { ownAccount } from '../api/caller.ts';
import type { AdminParts } from '../parts.ts';
import { idSchema, isoTime, moneySchema, timeSchema, documentAs, sentTime } from '../api/wire.ts';
import { honouringKeys } from '../../../money/accounts/key-limits.ts';
import { namesOf } from '../../../money/accounts/names.ts';
import { type SpendLine, spendSeries, topSpenders } from '../../../money/billing/ledger/spend.ts';
import { errorTable } from 'chat-formats/error-table.ts';
import { decimalText, type Nano } from '../../../core/money.ts';
import { savingsSeries } from '../../../money/requests/rollups/cache-savings.ts';
import { errorSums } from '../../../money/requests/rollups/error-sums.ts';
import { catchUp } from '../../../money/requests/rollups/rollup-worker.ts';
import type { RollupValue } from '../../../money/requests/rollups/rollup-dimensions.ts';
import { keysWithUnwantedStreams } from '../../../money/requests/rollups/unwanted-streams.ts';
import { type RollupLine, rollupLines, rollupTable } from '../../../money/requests/rollups/usage-rollups.ts';
import { addSums, noSums, type RollupSums } from '../../../money/requests/rollups/usage-sums.ts';
import type { Store } from '../../../platform/store/store.ts';
import { previousTotals } from './previous-totals.ts';
import { percentiles, percentilesDocument } from './percentile-documents.ts';
import { invalidField } from '../api/sent-values.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

interface TimeSpan {
  readonly from: number;
  readonly to: number;
  readonly intervalMs: number;
}

const lengths = {
  hour: { intervalMs: hourMs, usualMs: dayMs, maxMs: 31 * dayMs, max: '31 days' },
  day: { intervalMs: dayMs, usualMs: 30 * dayMs, maxMs: 400 * dayMs, max: '400 days' },
} as const;

const spanQuery = {
  since: sentTime
    .optional()
    .describe('Its hour is the first one included. Default: 24 hours (`hour`) or 30 days (`day`) before `until`.'),
  until: sentTime.optional().describe('Its hour is the last one included. Default: now.'),
  interval: z.enum(['hour', 'day']).default('day').describe('Length of a point of the series.'),
};

type SpanParameters = z.output<z.ZodObject<typeof spanQuery>>;

/** Extends the span to whole hours. Throws if it is empty, or too long to look at. */
function spanOf({ since, until, interval }: SpanParameters, now: number): TimeSpan {
  const { intervalMs, usualMs, maxMs, max } = lengths[interval];
  const to = Math.ceil((until ?? now) / hourMs) * hourMs;
  const from = Math.floor((since ?? to - usualMs) / hourMs) * hourMs;
  if (from >= to) throw invalidField('since', broken('not_before_end'), 'Send an earlier time.');
  if (to - from > maxMs) {
    const longer = interval === 'hour' ? ', or ask for `interval=day`' : '';
    throw invalidField('since', broken('span_too_long', { max }), `Send a later time${longer}.`);
  }
  return { from, to, intervalMs };
}

function pointsOf({ from, to, intervalMs }: TimeSpan): readonly number[] {
  return Array.from({ length: Math.ceil((to - from) / intervalMs) }, (_, index) => from + index * intervalMs);
}

const count = z.int();

const figures = {
  spend: moneySchema.describe('Amount charged in this time, from the ledger.'),
  requests: count,
  errors: count,
  prompt_tokens: count,
  cached_tokens: count.describe('Prompt tokens read from a cache. Included in `prompt_tokens`.'),
  completion_tokens: count,
  reasoning_tokens: count.describe('Included in `completion_tokens`.'),
  cache_savings: moneySchema.describe(
    'Savings by prompt caches: the cost of the same tokens without caches, minus their actual cost. Negative if writing to caches cost more than reading saved.',
  ),
  ...percentiles,
};

const top = { spend: moneySchema, requests: count, errors: count, prompt_tokens: count, completion_tokens: count };

const unwantedSchema = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  unwanted_streams: count,
  requests: count,
  honour_stream_false: z.boolean().describe('Whether it gets the JSON body now.'),
});

const fields = {
  since: timeSchema.describe('Start of the first hour included.'),
  until: timeSchema.describe('End of the last hour included.'),
  interval: z.enum(['hour', 'day']),
  currency: z.string(),
  is_complete: z.boolean().describe('False while more requests wait to be added than a reader should wait for.'),
  totals: z.strictObject({
    ...figures,
    unwanted_streams: count.describe('Requests that asked for one JSON body and got a stream.'),
  }),
  previous: z
    .strictObject(figures)
    .nullable()
    .describe('Totals of the time of the same length directly before. Null if usage does not reach that far back.'),
  series: z
    .array(z.strictObject({ at: timeSchema, ...figures }))
    .describe('One point per interval, oldest first, including empty ones. Days are counted from `since`.'),
  top_models: z.array(z.strictObject({ model: z.string().describe('Empty: no known model.'), ...top })),
  top_keys: z.array(z.strictObject({ id: z.string(), name: z.string().nullable(), ...top })),
  keys_with_unwanted_streams: z
    .array(unwantedSchema)
    .describe(
      'Keys whose clients ask for one JSON body and get a stream. Clients that cannot read the stream retry, and every retry is charged. Set `honour_stream_false` on the key or the site, or change the clients to request streams.',
    ),
  errors_by_case: z.array(z.strictObject({ error_case: z.string(), status: z.int().nullable(), requests: count })),
};

const operatorFields = {
  ...fields,
  top_accounts: z.array(z.strictObject({ id: z.string(), name: z.string().nullable(), spend: moneySchema })),
};

export const overviewEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/overview', 'getOwnOverview', 'account', {
    summary: 'Get usage and spend of your account over time.',
    query: z.strictObject(spanQuery),
    reply: { name: 'OwnOverview', schema: z.strictObject(fields) },
    run: ({ parts, caller, query }) => overview(parts, query, ownAccount(caller)),
  }),
  readEndpoint('GET /admin/v1/overview', 'getOverview', 'read-only', {
    summary: 'Get usage and spend over time, of one account or of all.',
    query: z.strictObject({ account: idSchema.optional().describe('Only this account.'), ...spanQuery }),
    reply: { name: 'Overview', schema: z.strictObject(operatorFields) },
    run: async ({ parts, query: { account, ...query } }) => {
      const accountId = account === undefined ? undefined : (await accountAt(parts, account)).id;
      const top_accounts = await topAccounts(parts, spanOf(query, parts.clock.now()), accountId);
      return { ...(await overview(parts, query, accountId)), top_accounts };
    },
  }),
];

async function overview(
  parts: AdminParts,
  query: z.output<z.ZodObject<typeof spanQuery>>,
  accountId: string | undefined,
) {
  const span = spanOf(query, parts.clock.now());
  return {
    since: isoTime(span.from),
    until: isoTime(span.to),
    interval: query.interval,
    currency: parts.currency(),
    ...(await overviewOf(parts, span, accountId)),
  };
}

const topMax = 10;

/** The figures of a span. Spend comes from the ledger, everything else from request records. */
export async function overviewOf({ store }: Pick<AdminParts, 'store'>, span: TimeSpan, accountId: string | undefined) {
  const query = { ...span, accountId };
  const isComplete = await catchUp(store);
  const [{ lines: models, totals }, spend, saved, keys, unwanted, failed, before] = await Promise.all([
    rollupTable(store, { ...query, by: 'model' }, firstLines),
    spendSeries(store, query),
    savingsSeries(store, query),
    busiestKeys(store, query),
    unwantedStreams(store, query),
    errorSums(store, query),
    previousFigures(store, query),
  ]);
  const usage = byInterval(totals, span);
  const total = noSums();
  for (const sums of usage.values()) addSums(total, sums);
  return {
    is_complete: isComplete,
    totals: {
      ...figuresDocument(total, sumOf(spend.values()), sumOf(saved.values())),
      unwanted_streams: total.unwanted_streams,
    },
    previous: before,
    series: pointsOf(span).map((at) => ({
      at: isoTime(at),
      ...figuresDocument(usage.get(at) ?? noSums(), spend.get(at) ?? 0n, saved.get(at) ?? 0n),
    })),
    top_models: topLines(models).map(({ name, sums }) => ({ model: name, ...topDocument(sums, sums.cost) })),
    top_keys: keys,
    keys_with_unwanted_streams: unwanted,
    errors_by_case: failed.map(({ errorCase, requests }) => ({
      error_case: errorCase,
      status: statusOf(errorCase),
      requests,
    })),
  };
}

async function previousFigures(store: Store, query: OverviewScope) {
  const before = await previousTotals(store, query, query.intervalMs);
  if (!before) return null;
  const span = { ...query, from: before.from, to: before.to };
  const [spend, saved] = await Promise.all([spendSeries(store, span), savingsSeries(store, span)]);
  return figuresDocument(before.sums, sumOf(spend.values()), sumOf(saved.values()));
}

type OverviewScope = TimeSpan & { readonly accountId: string | undefined };

/** One more than shown, because one of them may be the sum of the values beyond the limit. */
const firstLines = { limit: topMax + 1, order: 'cost', points: { interval: 'hour' } } as const;

/** The lines to show, without the sum of the values beyond the limit. */
function topLines(lines: readonly RollupLine[]) {
  return lines
    .filter(({ value }) => value.kind !== 'other')
    .slice(0, topMax)
    .map(({ value, sums }) => ({ name: value.kind === 'value' ? value.value : '', sums }));
}

/** Sums by the start of their interval. Intervals without a request are left out. */
function byInterval(hours: ReadonlyMap<number, RollupSums>, { from, intervalMs }: TimeSpan) {
  const intervals = new Map<number, RollupSums>();
  for (const [hour, sums] of hours) {
    const at = hour - ((hour - from) % intervalMs);
    const known = intervals.get(at) ?? noSums();
    addSums(known, sums);
    intervals.set(at, known);
  }
  return intervals;
}

async function topAccounts({ store }: AdminParts, span: TimeSpan, accountId: string | undefined) {
  const lines = await topSpenders(store, { ...span, accountId, by: 'account_id', limit: topMax });
  const ids = lines.map(({ id }) => id);
  const names = await namesOf(store, 'accounts', ids);
  return lines.map(({ id, spent }) => ({ id, name: names.get(id) ?? null, spend: decimalText(spent) }));
}

/** Charged keys come first. Over all accounts, other keys are included only if no key was charged. */
async function busiestKeys(store: Store, query: OverviewScope) {
  const charged = await topSpenders(store, { ...query, by: 'key_id', limit: topMax });
  const spent = new Map(charged.map((line) => [line.id, line.spent]));
  const isEnough = charged.length === topMax || (query.accountId === undefined && charged.length > 0);
  const keys = { ...query, by: 'key' } as const;
  const lines = isEnough
    ? await rollupLines(store, { ...keys, only: charged.map((line) => keyValue(line, query)) })
    : (await rollupTable(store, keys, firstLines)).lines;
  const used = new Map(topLines(lines).map(({ name, sums }) => [name, sums]));
  const ids = [...new Set([...spent.keys(), ...used.keys()])].slice(0, topMax);
  const names = await namesOf(store, 'api_keys', ids);
  return ids.map((id) => ({
    id,
    name: names.get(id) ?? null,
    ...topDocument(used.get(id) ?? noSums(), spent.get(id) ?? 0n),
  }));
}

/** Values of several accounts name their account. */
function keyValue({ id, accountId }: SpendLine, query: OverviewScope): RollupValue {
  return { kind: 'value', value: id, accountId: query.accountId === undefined ? accountId : undefined };
}

async function unwantedStreams(store: Store, query: OverviewScope) {
  const lines = await keysWithUnwantedStreams(store, query, topMax);
  const ids = lines.map(({ keyId }) => keyId);
  const [names, honouring] = await Promise.all([namesOf(store, 'api_keys', ids), honouringKeys(store, ids)]);
  return lines.map((line) => {
    const { keyId: id } = line;
    return documentAs(unwantedSchema.shape, { ...line, id, name: names.get(id), honourStreamFalse: honouring.has(id) });
  });
}

function topDocument({ requests, errors, prompt_tokens, completion_tokens }: RollupSums, spend: Nano) {
  return { spend: decimalText(spend), requests, errors, prompt_tokens, completion_tokens };
}

function figuresDocument(sums: RollupSums, spend: Nano, saved: Nano) {
  return {
    ...topDocument(sums, spend),
    cached_tokens: sums.cached_tokens,
    reasoning_tokens: sums.reasoning_tokens,
    cache_savings: decimalText(saved),
    ...percentilesDocument(sums.histograms),
  };
}

function sumOf(amounts: Iterable<Nano>): Nano {
  return [...amounts].reduce((sum, amount) => sum + amount, 0n);
}

/** Null for a case that the error table does not have: records may be older than the table. */
function statusOf(errorCase: string): number | null {
  return Object.entries(errorTable).find(([name]) => name === errorCase)?.[1].status ?? null;
}
