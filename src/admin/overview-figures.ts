import { namesOf } from '../accounts/names.ts';
import { spendSeries, topSpenders } from '../billing/spend.ts';
import { errorTable } from '../core/error-table.ts';
import { decimalText, type Nano } from '../core/money.ts';
import { errorSums } from '../requests/error-hours.ts';
import { usageSeries } from '../requests/usage-series.ts';
import { type UsageFigures, type UsageLine, usageSummary } from '../requests/usage-summary.ts';
import type { AdminParts } from './parts.ts';
import { pointsOf, type Span } from './span.ts';
import { isoTime } from './wire.ts';

const topMax = 10;

/** The figures of a span. What was spent is what the ledger charged; all else comes from the records of requests. */
export async function overviewOf({ store }: AdminParts, span: Span, accountId: string | undefined) {
  const query = { ...span, accountId };
  const [usage, spend, models, keys, failed] = await Promise.all([
    usageSeries(store, query),
    spendSeries(store, query),
    usageSummary(store, { ...query, by: 'model' }),
    usageSummary(store, { ...query, by: 'key' }),
    errorSums(store, query),
  ]);
  const charged = await topSpenders(store, { ...query, by: 'key_id', limit: topMax });
  return {
    totals: figuresDocument(models.total, sumOf(spend.values())),
    series: pointsOf(span).map((at) => ({
      at: isoTime(at),
      ...figuresDocument(usage.get(at) ?? nothing, spend.get(at) ?? 0n),
    })),
    top_models: models.lines.slice(0, topMax).map((line) => ({ model: line.group, ...topDocument(line, line.cost) })),
    top_keys: await keyLines(store, charged, new Map(keys.lines.map((line) => [line.group, line]))),
    errors_by_case: failed.map(({ errorCase, requests }) => ({
      error_case: errorCase,
      status: statusOf(errorCase),
      requests,
    })),
  };
}

/** Whose charges were highest. */
export async function topAccounts({ store }: AdminParts, span: Span, accountId: string | undefined) {
  const lines = await topSpenders(store, { ...span, accountId, by: 'account_id', limit: topMax });
  const names = await namesOf(
    store,
    'accounts',
    lines.map(({ id }) => id),
  );
  return lines.map(({ id, spent }) => ({ id, name: names.get(id) ?? null, spend: decimalText(spent) }));
}

/** Keys that cost something first; where there are few of those, also the busiest of the others. */
async function keyLines(
  store: AdminParts['store'],
  charged: readonly { readonly id: string; readonly spent: Nano }[],
  used: ReadonlyMap<string, UsageLine>,
) {
  const spent = new Map(charged.map((line) => [line.id, line.spent]));
  const ids = [...new Set([...spent.keys(), ...used.keys()])].slice(0, topMax);
  const names = await namesOf(store, 'api_keys', ids);
  return ids.map((id) => ({
    id,
    name: names.get(id) ?? null,
    ...topDocument(used.get(id) ?? nothing, spent.get(id) ?? 0n),
  }));
}

function topDocument({ requests, errors, promptTokens, completionTokens }: UsageFigures, spend: Nano) {
  return {
    spend: decimalText(spend),
    requests,
    errors,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
  };
}

function figuresDocument(figures: UsageFigures, spend: Nano) {
  return {
    ...topDocument(figures, spend),
    cached_tokens: figures.cachedTokens,
    reasoning_tokens: figures.reasoningTokens,
    mean_wait_ms: mean(figures.waitMs, figures.requests),
    mean_first_byte_ms: mean(figures.firstByteMs, figures.answered),
  };
}

const nothing: UsageFigures = {
  requests: 0,
  errors: 0,
  clientGone: 0,
  answered: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0n,
  waitMs: 0,
  firstByteMs: 0,
  durationMs: 0,
};

function mean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count);
}

function sumOf(amounts: Iterable<Nano>): Nano {
  return [...amounts].reduce((sum, amount) => sum + amount, 0n);
}

/** The records may be older than the table of cases. */
function statusOf(errorCase: string): number | null {
  return Object.entries(errorTable).find(([name]) => name === errorCase)?.[1].status ?? null;
}
