import { sql } from 'kysely';
import type { Store } from '../../../platform/store/store.ts';
import type { SpanQuery } from './usage-series.ts';
import type { RollupValue } from './rollup-dimensions.ts';
import { type RollupLine, rollupLines, rollupTable } from './usage-rollups.ts';
import { commonFigures, type UsageFigures, type UsageLine } from './usage-summary.ts';
import { addSums, noSums, type RollupSums } from './usage-sums.ts';

/** Intervals are counted from the start of the span. */
type AccountQuery = SpanQuery & { readonly accountId: string };

type AccountLine = Omit<UsageLine, 'unwantedStreams' | 'histograms'>;

export interface AccountUsage {
  /** Usage by the start of its interval. Intervals without a request are left out. */
  readonly series: ReadonlyMap<number, UsageFigures>;
  /** The models with the highest cost, then with the most requests. */
  readonly models: readonly AccountLine[];
}

/**
 * Usage of an account, read from the rollups along one dimension. Call it after pending deltas are added. The sums by
 * key and model are complete at once, but have many times as many rows.
 */
export async function accountUsage(
  store: Store,
  query: AccountQuery & { readonly intervalMs: number },
  limit: number,
): Promise<AccountUsage> {
  const { lines, totals } = await rollupTable(store, { ...query, by: 'model' }, firstLines(limit));
  const unwanted = await unwantedHours(store, query);
  const intervals = new Map<number, { readonly sums: RollupSums; unwanted: number }>();
  for (const [hour, sums] of totals) {
    const at = hour - ((hour - query.from) % query.intervalMs);
    const known = intervals.get(at) ?? { sums: noSums(), unwanted: 0 };
    addSums(known.sums, sums);
    known.unwanted += unwanted.get(hour) ?? 0;
    intervals.set(at, known);
  }
  const series = Array.from(intervals, ([at, { sums, unwanted: unwantedStreams }]): [number, UsageFigures] => [
    at,
    { ...commonFigures(sums), unwantedStreams },
  ]);
  return { series: new Map(series), models: linesOf(lines, limit) };
}

/** The keys with the highest cost, then with the most requests; or the given keys, unordered. */
export async function accountKeys(
  store: Store,
  query: AccountQuery,
  { limit, among }: { readonly limit: number; readonly among?: readonly string[] | undefined },
): Promise<readonly AccountLine[]> {
  const keyQuery = { ...query, by: 'key' } as const;
  if (among === undefined) return linesOf((await rollupTable(store, keyQuery, firstLines(limit))).lines, limit);
  const only = among.map((value): RollupValue => ({ kind: 'value', value }));
  return linesOf(await rollupLines(store, { ...keyQuery, only }), limit);
}

/** One more than requested, because one of them may be the sum of the values beyond the limit. */
function firstLines(limit: number) {
  return { limit: limit + 1, order: 'cost', points: { interval: 'hour' } } as const;
}

function linesOf(lines: readonly RollupLine[], limit: number): readonly AccountLine[] {
  return lines
    .filter(({ value }) => value.kind !== 'other')
    .slice(0, limit)
    .map(({ value, sums }) => {
      const { histograms: _unused, ...figures } = commonFigures(sums);
      return { group: value.kind === 'value' ? value.value : '', ...figures };
    });
}

/** Only the sums by key and model have these counts. Hours without any are not read. */
async function unwantedHours(
  store: Store,
  { accountId, from, to }: AccountQuery,
): Promise<ReadonlyMap<number, number>> {
  const rows = await store.db
    .selectFrom('usage_hours')
    .select(['hour', sql<string>`cast(sum(unwanted_streams) as text)`.as('unwanted')])
    .where('unwanted_streams', '>', sql.lit(0))
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .where('account_id', '=', accountId)
    .groupBy('hour')
    .execute();
  return new Map(rows.map(({ hour, unwanted }) => [hour, Number(unwanted)]));
}
