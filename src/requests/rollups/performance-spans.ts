import { sql } from 'kysely';
import { dayMs, dayOf, hourOf } from '../../core/time/calendar-day.ts';
import { readNumbers, sumColumns } from '../../store/counter-sums.ts';
import type { Store } from '../../store/store.ts';
import { asCalled, nothingMeasured, performanceSums, type PerformanceSums } from './performance.ts';

export const performanceSpans = ['day', 'week', 'month'] as const;
export type PerformanceSpan = (typeof performanceSpans)[number];

/** Performance of a model or a route in the last 24 hours, 7 days and 30 days. */
export type Performance = Readonly<Record<PerformanceSpan, PerformanceSums>>;

export interface Performances {
  /** A catalog model, as seen by its callers. */
  model(id: string): Performance;
  /** An upstream, by its own name for the model. */
  route(upstream: string, model: string): Performance;
}

/** One statement for all models and routes. The number of rows does not grow with the requests. */
export async function performanceOf(store: Store, now: number, { modelsOnly = false } = {}): Promise<Performances> {
  const only = modelsOnly ? sql`and upstream = ${asCalled}` : sql``;
  const selects = performanceSpans.map((span) => {
    const { grain, since } = reachOf(span, now);
    return sql`select ${sql.lit(span)} as span, upstream, model, ${sums} from performance_sums
      where grain = ${sql.lit(grain)} and start >= ${since} ${only} group by upstream, model`;
  });
  const { rows } = await sql<PerformanceSumsRow>`${sql.join(selects, sql` union all `)}`.execute(store.db);
  const found = new Map(rows.map((row) => [nameOf(row), readNumbers(performanceSums, row)]));
  const performanceFor = (upstream: string, model: string): Performance => {
    const within = (span: PerformanceSpan) => found.get(nameOf({ span, upstream, model })) ?? nothingMeasured;
    return { day: within('day'), week: within('week'), month: within('month') };
  };
  return { model: (id) => performanceFor(asCalled, id), route: performanceFor };
}

/** Whole hours for the last day, and UTC days, including today, for longer spans. */
function reachOf(span: PerformanceSpan, now: number): { readonly grain: 'hour' | 'day'; readonly since: number } {
  if (span === 'day') return { grain: 'hour', since: hourOf(now - dayMs) };
  return { grain: 'day', since: dayOf(now) - (span === 'week' ? 6 : 29) * dayMs };
}

const sums = sql.join(sumColumns(performanceSums));

interface SeriesName {
  readonly span: PerformanceSpan;
  readonly upstream: string;
  readonly model: string;
}

type PerformanceSumsRow = SeriesName & Readonly<Record<(typeof performanceSums)[number], string>>;

function nameOf({ span, upstream, model }: SeriesName): string {
  return `${span}\0${upstream}\0${model}`;
}
