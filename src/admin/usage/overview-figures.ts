import { honouringKeys } from '../../accounts/key-limits.ts';
import { namesOf } from '../../accounts/names.ts';
import { spendSeries, topSpenders } from '../../billing/ledger/spend.ts';
import { errorTable } from '../../core/error-table.ts';
import { decimalText, type Nano } from '../../core/money.ts';
import { accountKeys, accountUsage } from '../../requests/rollups/account-usage.ts';
import { savingsSeries } from '../../requests/rollups/cache-savings.ts';
import { errorSums } from '../../requests/rollups/error-sums.ts';
import { catchUp } from '../../requests/rollups/rollup-worker.ts';
import { keysWithUnwantedStreams, topKeys, topModels, usageSeries } from '../../requests/rollups/usage-series.ts';
import { noSums } from '../../requests/rollups/usage-rollups.ts';
import { commonFigures, type UsageFigures, type UsageLine } from '../../requests/rollups/usage-summary.ts';
import { addSums } from '../../store/counters.ts';
import type { Store } from '../../store/store.ts';
import type { AdminParts } from '../parts.ts';
import { pointsOf, type TimeSpan } from '../api/span.ts';
import { isoTime } from '../api/wire.ts';

const topMax = 10;

/** The figures of a span. Spend comes from the ledger, everything else from request records. */
export async function overviewOf({ store }: Pick<AdminParts, 'store'>, span: TimeSpan, accountId: string | undefined) {
  const query = { ...span, accountId };
  const source = await usageSource(store, query);
  const [{ series: usage, models }, spend, saved, keys, unwanted, failed] = await Promise.all([
    source.usage(),
    spendSeries(store, query),
    savingsSeries(store, query),
    busiestKeys(store, query, source),
    unwantedStreams(store, query),
    errorSums(store, query),
  ]);
  const total = { ...noUsage };
  for (const point of usage.values()) addSums(Object.keys(noUsage) as (keyof UsageFigures)[], total, point);
  return {
    totals: {
      ...figuresDocument(total, sumOf(spend.values()), sumOf(saved.values())),
      unwanted_streams: total.unwantedStreams,
    },
    series: pointsOf(span).map((at) => ({
      at: isoTime(at),
      ...figuresDocument(usage.get(at) ?? noUsage, spend.get(at) ?? 0n, saved.get(at) ?? 0n),
    })),
    top_models: models.map((line) => ({ model: line.group, ...topDocument(line, line.cost) })),
    top_keys: keys,
    keys_with_unwanted_streams: unwanted,
    errors_by_case: failed.map(({ errorCase, requests }) => ({
      error_case: errorCase,
      status: statusOf(errorCase),
      requests,
    })),
  };
}

type OverviewScope = TimeSpan & { readonly accountId: string | undefined };
type OverviewLine = Omit<UsageLine, 'unwantedStreams'>;

interface OverviewUsage {
  usage(): Promise<{ readonly series: ReadonlyMap<number, UsageFigures>; readonly models: readonly OverviewLine[] }>;
  keys(among: readonly string[] | undefined): Promise<readonly OverviewLine[]>;
}

/** Reads the account's own rollups, unless more requests wait to be added there than a reader should wait for. */
async function usageSource(store: Store, { accountId, ...span }: OverviewScope): Promise<OverviewUsage> {
  if (accountId !== undefined && (await catchUp(store))) {
    const query = { ...span, accountId };
    return {
      usage: () => accountUsage(store, query, topMax),
      keys: (among) => accountKeys(store, query, { limit: topMax, among }),
    };
  }
  const query = { ...span, accountId };
  return {
    usage: async () => ({ series: await usageSeries(store, query), models: await topModels(store, query, topMax) }),
    keys: (among) => topKeys(store, query, { limit: topMax, among }),
  };
}

/** The accounts with the highest charges. */
export async function topAccounts({ store }: AdminParts, span: TimeSpan, accountId: string | undefined) {
  const lines = await topSpenders(store, { ...span, accountId, by: 'account_id', limit: topMax });
  const ids = lines.map(({ id }) => id);
  const names = await namesOf(store, 'accounts', ids);
  return lines.map(({ id, spent }) => ({ id, name: names.get(id) ?? null, spend: decimalText(spent) }));
}

/** Charged keys come first. Over all accounts, other keys are included only if no key was charged. */
async function busiestKeys(store: Store, query: OverviewScope, source: OverviewUsage) {
  const charged = await topSpenders(store, { ...query, by: 'key_id', limit: topMax });
  const spent = new Map(charged.map((line) => [line.id, line.spent]));
  const isEnough = charged.length === topMax || (query.accountId === undefined && charged.length > 0);
  const among = isEnough ? [...spent.keys()] : undefined;
  const lines = await source.keys(among);
  const used = new Map(lines.map((line) => [line.group, line]));
  const ids = [...new Set([...spent.keys(), ...used.keys()])].slice(0, topMax);
  const names = await namesOf(store, 'api_keys', ids);
  return ids.map((id) => ({
    id,
    name: names.get(id) ?? null,
    ...topDocument(used.get(id) ?? noUsage, spent.get(id) ?? 0n),
  }));
}

async function unwantedStreams(store: Store, query: OverviewScope) {
  const lines = await keysWithUnwantedStreams(store, query, topMax);
  const ids = lines.map(({ keyId }) => keyId);
  const [names, honouring] = await Promise.all([namesOf(store, 'api_keys', ids), honouringKeys(store, ids)]);
  return lines.map(({ keyId, unwantedStreams: count, requests }) => ({
    id: keyId,
    name: names.get(keyId) ?? null,
    unwanted_streams: count,
    requests,
    honour_stream_false: honouring.has(keyId),
  }));
}

function topDocument({ requests, errors, promptTokens, completionTokens }: Omit<OverviewLine, 'group'>, spend: Nano) {
  return {
    spend: decimalText(spend),
    requests,
    errors,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
  };
}

function figuresDocument(figures: UsageFigures, spend: Nano, saved: Nano) {
  return {
    ...topDocument(figures, spend),
    cached_tokens: figures.cachedTokens,
    reasoning_tokens: figures.reasoningTokens,
    cache_savings: decimalText(saved),
    mean_wait_ms: mean(figures.waitMs, figures.requests),
    mean_first_byte_ms: mean(figures.firstByteMs, figures.answered),
  };
}

const noUsage: UsageFigures = { ...commonFigures(noSums()), unwantedStreams: 0 };

function mean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count);
}

function sumOf(amounts: Iterable<Nano>): Nano {
  return [...amounts].reduce((sum, amount) => sum + amount, 0n);
}

/** Null for a case that the error table does not have: records may be older than the table. */
function statusOf(errorCase: string): number | null {
  return Object.entries(errorTable).find(([name]) => name === errorCase)?.[1].status ?? null;
}
