import { type RawBuilder, sql } from 'kysely';
import { hourOf } from '../../core/time/calendar-day.ts';
import type { Nano } from '../../core/money.ts';
import { sumColumns } from '../../store/counter-sums.ts';
import type { Store } from '../../store/store.ts';
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

/** Usage in a span of time. It reads hourly sums, so the number of requests does not matter. */
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
  return {
    lines: lines.map((line) => ({
      group: isTime ? new Date(Number(line.group)).toISOString() : String(line.group),
      ...figuresOf(line),
    })),
    total: figuresOf(total),
  };
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
  return { ...commonFigures(read), unwantedStreams: read.unwanted_streams };
}

/** The figures that rollups have too. */
export function commonFigures(
  of: Pick<RequestSums, keyof RollupSums & keyof SumsRow>,
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
  };
}
