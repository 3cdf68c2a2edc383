import { type RawBuilder, sql } from 'kysely';
import { hourOf } from '../../../core/time/calendar-day.ts';
import type { Nano } from '../../../core/money.ts';
import { sumColumns } from '../../../platform/store/counter-sums.ts';
import type { Store } from '../../../platform/store/store.ts';
import type { Histograms } from './histograms.ts';
import { everyAccount, rollupValue, storedOther } from './rollup-dimensions.ts';
import { readSums, type RequestSums, type RollupSums, usageSums } from './usage-sums.ts';

export interface UsageQuery {
  readonly accountId?: string;
  /** The hour that contains this time is the first; whole hours are counted. */
  readonly from: number;
  /** The hour that contains this time is the last, unless it begins at this time. */
  readonly to: number;
  readonly by: UsageGrouping;
}

export const usageGroupings = ['hour', 'day', 'model', 'key'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

export interface UsageFigures {
  readonly requests: number;
  readonly errors: number;
  readonly clientGone: number;
  /** Requests that received a first byte: divide `firstByteMs` by it. */
  readonly answered: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly cost: Nano;
  readonly waitMs: number;
  readonly firstByteMs: number;
  readonly durationMs: number;
  /** Requests for one JSON body that received a stream. */
  readonly unwantedStreams: number;
  /** Times and speeds. Empty in lines of sums by key and model, which have none. */
  readonly histograms: Histograms;
}

export interface UsageLine extends UsageFigures {
  /** Start of the hour or day (UTC) in ISO 8601, the catalog id (empty: unknown model), or the key's id. */
  readonly group: string;
}

export interface UsageSummary {
  /** Hours and days in order, models and keys by cost; at most `usageLinesMax`. */
  readonly lines: readonly UsageLine[];
  /** Total over all lines, including those beyond `usageLinesMax`. */
  readonly total: UsageFigures;
}

export const usageLinesMax = 10_000;

/**
 * Usage in a span of time. It reads hourly sums, so the number of requests does not matter. Histograms come from the
 * rollups: call it after pending deltas are added.
 */
export async function usageSummary(store: Store, query: UsageQuery): Promise<UsageSummary> {
  const group = groupOf[query.by];
  const isTime = query.by === 'hour' || query.by === 'day';
  const lines = await hoursWithin(store, query)
    .select([group.as('group'), ...sums])
    .groupBy(group)
    .$if(isTime, (grouped) => grouped.orderBy('group'))
    .$if(!isTime, (grouped) => grouped.orderBy(sql`sum(cost) desc, sum(requests) desc`).orderBy('group'))
    .limit(usageLinesMax)
    .execute();
  const total = await hoursWithin(store, query).select(sums).executeTakeFirstOrThrow();
  const histograms = await histogramsOf(store, query);
  return {
    lines: lines.map((line) => ({
      group: isTime ? new Date(Number(line.group)).toISOString() : String(line.group),
      ...figuresOf(line),
      histograms: histograms.get(String(line.group)) ?? '',
    })),
    total: { ...figuresOf(total), histograms: [...histograms.values()].join('') },
  };
}

/** By the group of their lines. */
async function histogramsOf(
  store: Store,
  { accountId, from, to, by }: UsageQuery,
): Promise<ReadonlyMap<string, Histograms>> {
  const isTime = by === 'hour' || by === 'day';
  const group = isTime ? groupOf[by] : sql<string>`value`;
  // Keys have rollups per account only.
  const everyKey = by === 'key' ? sql`account_id <> ${everyAccount}` : sql`account_id = ${everyAccount}`;
  const { rows } = await sql<{ readonly name: string | number; readonly histograms: string }>`
    select ${group} as name, string_agg(histograms, '') as histograms from usage_rollups
    where ${accountId === undefined ? everyKey : sql`account_id = ${accountId}`}
      and dimension = ${isTime ? 'status' : by} and hour >= ${hourOf(from)} and hour < ${to}
    group by ${group}`.execute(store.db);
  const nameOf = (name: string | number) => {
    if (isTime) return String(name);
    const value = rollupValue(String(name));
    return value.kind === 'value' ? value.value : value.kind === 'none' ? '' : storedOther;
  };
  return new Map(rows.map((row) => [nameOf(row.name), row.histograms]));
}

function hoursWithin(store: Store, { accountId, from, to }: UsageQuery) {
  const within = store.db.selectFrom('usage_hours').where('hour', '>=', hourOf(from)).where('hour', '<', to);
  return accountId === undefined ? within : within.where('account_id', '=', accountId);
}

const groupOf: Readonly<Record<UsageGrouping, RawBuilder<string | number>>> = {
  hour: sql`hour`,
  day: sql`hour - hour % 86400000`,
  model: sql`model`,
  key: sql`key_id`,
};

export const sums = sumColumns(usageSums);

export type SumsRow = Readonly<Record<(typeof usageSums)[number], string>>;

export function figuresOf(row: SumsRow): UsageFigures {
  const read = readSums(usageSums, (name) => row[name]);
  return { ...commonFigures({ ...read, histograms: '' }), unwantedStreams: read.unwanted_streams };
}

/** The figures that rollups have too. */
export function commonFigures(
  of: Pick<RequestSums, keyof RequestSums & keyof RollupSums & keyof SumsRow> & Pick<RollupSums, 'histograms'>,
): Omit<UsageFigures, 'unwantedStreams'> {
  return {
    requests: of.requests,
    errors: of.errors,
    clientGone: of.client_gone,
    answered: of.answered,
    promptTokens: of.prompt_tokens,
    completionTokens: of.completion_tokens,
    cachedTokens: of.cached_tokens,
    reasoningTokens: of.reasoning_tokens,
    cost: of.cost,
    waitMs: of.wait_ms,
    firstByteMs: of.first_byte_ms,
    durationMs: of.duration_ms,
    histograms: of.histograms,
  };
}
