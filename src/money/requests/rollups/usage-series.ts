import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../../platform/store/store.ts';
import { everyAccount } from './rollup-dimensions.ts';
import { figuresOf, type SumsRow, sums, type UsageFigures, type UsageLine } from './usage-summary.ts';

export interface SpanQuery {
  /** All accounts together, if absent. */
  readonly accountId?: string | undefined;
  /** Start and end of the span, whole hours. */
  readonly from: number;
  readonly to: number;
}

/**
 * Usage per interval, by its start, counted from `from`. Intervals without a request are left out. Histograms come from
 * the rollups: call it after pending deltas are added.
 */
export async function usageSeries(
  store: Store,
  query: SpanQuery & { readonly intervalMs: number },
): Promise<ReadonlyMap<number, UsageFigures>> {
  // A literal, because the engines recognise a GROUP BY expression only if its text is the same.
  const at = sql`hour - (hour - ${sql.lit(query.from)}) % ${sql.lit(query.intervalMs)}`;
  const rows = await grouped(store, at, sql`from ${within(query)}`);
  const { accountId = everyAccount, from, to } = query;
  const { rows: measured } = await sql<{ readonly at: string | number; readonly histograms: string }>`
    select ${at} as at, string_agg(histograms, '') as histograms from usage_rollups
    where account_id = ${accountId} and dimension = 'status' and hour >= ${from} and hour < ${to}
    group by ${at}`.execute(store.db);
  const histograms = new Map(measured.map((row) => [Number(row.at), row.histograms]));
  return new Map(
    rows.map((row) => {
      const start = Number(row.group);
      return [start, { ...figuresOf(row), histograms: histograms.get(start) ?? '' }];
    }),
  );
}

/** The models with the highest cost, then with the most requests. */
export async function topModels(store: Store, query: SpanQuery, limit: number): Promise<readonly UsageLine[]> {
  return linesOf(await grouped(store, sql`model`, sql`from ${within(query)}`, limit));
}

/** The keys with the highest cost, then with the most requests; only among the given ones, if any are given. */
export async function topKeys(
  store: Store,
  { accountId, from, to }: SpanQuery,
  { limit, among }: { readonly limit: number; readonly among?: readonly string[] | undefined },
): Promise<readonly UsageLine[]> {
  const named = among === undefined ? sql`` : sql`and key_id in (${sql.join(among)})`;
  const hours = sql`usage_hours where hour >= ${from} and hour < ${to} ${ofAccount(accountId)} ${named}`;
  return linesOf(await grouped(store, sql`key_id`, sql`from ${hours}`, limit));
}

/** A key whose clients request one JSON body and receive streams. */
export interface UnwantedStreams {
  readonly keyId: string;
  readonly unwantedStreams: number;
  /** All requests of the key in the same span. */
  readonly requests: number;
}

/** The keys with the most requests for one JSON body that received a stream. Hours without any are not read. */
export async function keysWithUnwantedStreams(
  store: Store,
  { accountId, from, to }: SpanQuery,
  limit: number,
): Promise<readonly UnwantedStreams[]> {
  const { rows } = await sql<{ key_id: string; unwanted: string; requests: string }>`
    select key_id, cast(sum(unwanted_streams) as text) as unwanted, cast((
      select sum(requests) from usage_hours as every
      where every.key_id = found.key_id and every.hour >= ${from} and every.hour < ${to}
    ) as text) as requests
    from usage_hours as found
    where unwanted_streams > 0 and hour >= ${from} and hour < ${to} ${ofAccount(accountId)}
    group by key_id order by sum(unwanted_streams) desc, key_id limit ${limit}`.execute(store.db);
  return rows.map((row) => ({
    keyId: row.key_id,
    unwantedStreams: Number(row.unwanted),
    requests: Number(row.requests),
  }));
}

/** All accounts together have sums of their own, so the number of accounts does not matter. */
function within({ accountId, from, to }: SpanQuery): RawBuilder<unknown> {
  const table = sql.table(accountId === undefined ? 'usage_totals' : 'usage_hours');
  return sql`${table} where hour >= ${from} and hour < ${to} ${ofAccount(accountId)}`;
}

function ofAccount(accountId: string | undefined): RawBuilder<unknown> {
  return accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
}

type GroupRow = SumsRow & { readonly group: string | number };

async function grouped(
  store: Store,
  group: RawBuilder<unknown>,
  source: RawBuilder<unknown>,
  limit?: number,
): Promise<readonly GroupRow[]> {
  const best = limit === undefined ? sql`` : sql`order by sum(cost) desc, sum(requests) desc, 1 limit ${limit}`;
  const columns = sql.join([sql`${group} as ${sql.ref('group')}`, ...sums]);
  const { rows } = await sql<GroupRow>`select ${columns} ${source} group by ${group} ${best}`.execute(store.db);
  return rows;
}

function linesOf(rows: readonly GroupRow[]): readonly UsageLine[] {
  return rows.map((row) => ({ group: String(row.group), ...figuresOf(row) }));
}
