import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { hourMs } from './usage-hours.ts';
import { figuresOf, hoursWithin, sums, type UsageFigures } from './usage-summary.ts';

export interface SeriesQuery {
  readonly accountId?: string;
  /** A whole hour; intervals are counted from here. */
  readonly from: number;
  readonly to: number;
  /** A whole number of hours. */
  readonly intervalMs: number;
}

/** What was used in each interval, by its beginning. Intervals without a request are not mentioned. */
export async function usageSeries(store: Store, query: SeriesQuery): Promise<ReadonlyMap<number, UsageFigures>> {
  const at = beginning(query);
  const rows = await hoursWithin(store, query)
    .select([at.as('at'), ...sums])
    .groupBy(at)
    .execute();
  return new Map(rows.map((row) => [Number(row.at), figuresOf(row)]));
}

/** Written into the statement: the engines recognise what is grouped by only if it is the same text. */
function beginning({ from, intervalMs }: SeriesQuery) {
  if (from % hourMs !== 0 || intervalMs % hourMs !== 0) throw new RangeError('a series consists of whole hours');
  return sql<number | string>`hour - (hour - ${sql.lit(from)}) % ${sql.lit(intervalMs)}`;
}
