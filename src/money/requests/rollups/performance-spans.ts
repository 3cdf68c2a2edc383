import { sql } from 'kysely';
import { dayMs, dayOf, hourOf } from '../../../core/time/calendar-day.ts';
import { readNumbers, sumColumns } from '../../../platform/store/counter-sums.ts';
import type { Store } from '../../../platform/store/store.ts';
import type { Histograms } from './histograms.ts';
import { asCalled, nothingMeasured, type PerformanceSums } from './performance.ts';
import { everyAccount, routeDimension, routeValue, storedValue } from './rollup-dimensions.ts';
import { catchUp } from './rollup-worker.ts';

export const performanceSpans = ['day', 'week', 'month'] as const;
export type PerformanceSpan = (typeof performanceSpans)[number];

/** Performance of a model or a route in the last 24 hours, 7 days and 30 days. */
export type Performance = Readonly<Record<PerformanceSpan, PerformanceFigures>>;

/** Answers, failures, and the histograms of times to the first token and of output speeds. */
export interface PerformanceFigures extends Pick<PerformanceSums, 'answered' | 'failed'> {
  readonly histograms: Histograms;
}

export interface Performances {
  /** A catalog model, as seen by its callers. */
  model(id: string): Performance;
  /** An upstream, by its own name for the model. */
  route(upstream: string, model: string): Performance;
}

/** Two statements for all models and routes. The number of rows does not grow with the requests. */
export async function performanceOf(store: Store, now: number, { modelsOnly = false } = {}): Promise<Performances> {
  const only = modelsOnly ? sql`and upstream = ${asCalled}` : sql``;
  const selects = performanceSpans.map((span) => {
    const { grain, since } = reachOf(span, now);
    return sql`select ${sql.lit(span)} as span, upstream, model, ${sums} from performance_sums
      where grain = ${sql.lit(grain)} and start >= ${since} ${only} group by upstream, model`;
  });
  const { rows } = await sql<PerformanceSumsRow>`${sql.join(selects, sql` union all `)}`.execute(store.db);
  const found = new Map(rows.map((row) => [nameOf(row), readNumbers(counted, row)]));
  const histograms = await histogramsWithin(store, now, modelsOnly);
  const performanceFor = (upstream: string, model: string): Performance => {
    const within = (span: PerformanceSpan): PerformanceFigures => {
      const { answered, failed } = found.get(nameOf({ span, upstream, model })) ?? nothingMeasured;
      const value = upstream === asCalled ? model : routeValue(upstream, model);
      const dimension = upstream === asCalled ? 'model' : routeDimension;
      return { answered, failed, histograms: histograms.get(`${span}\0${dimension}\0${storedValue(value)}`) ?? '' };
    };
    return { day: within('day'), week: within('week'), month: within('month') };
  };
  return { model: (id) => performanceFor(asCalled, id), route: performanceFor };
}

/** From the rollups, where the worker adds new requests within seconds. */
async function histogramsWithin(
  store: Store,
  now: number,
  modelsOnly: boolean,
): Promise<ReadonlyMap<string, Histograms>> {
  await catchUp(store);
  const wanted = modelsOnly ? ['model'] : ['model', routeDimension];
  const selects = performanceSpans.map((span) => {
    const { grain, since } = reachOf(span, now);
    const table = sql.table(grain === 'hour' ? 'usage_rollups' : 'usage_rollup_days');
    return sql`select ${sql.lit(span)} as span, dimension, value, string_agg(histograms, '') as histograms
      from ${table} where account_id = ${everyAccount} and dimension in (${sql.join(wanted)})
      and ${sql.ref(grain)} >= ${since} group by dimension, value`;
  });
  const { rows } = await sql<Record<'span' | 'dimension' | 'value' | 'histograms', string>>`
    ${sql.join(selects, sql` union all `)}`.execute(store.db);
  return new Map(rows.map((row) => [`${row.span}\0${row.dimension}\0${row.value}`, row.histograms]));
}

/** Whole hours for the last day, and UTC days, including today, for longer spans. */
function reachOf(span: PerformanceSpan, now: number): { readonly grain: 'hour' | 'day'; readonly since: number } {
  if (span === 'day') return { grain: 'hour', since: hourOf(now - dayMs) };
  return { grain: 'day', since: dayOf(now) - (span === 'week' ? 6 : 29) * dayMs };
}

const counted = ['answered', 'failed'] as const;
const sums = sql.join(sumColumns(counted));

interface SeriesName {
  readonly span: PerformanceSpan;
  readonly upstream: string;
  readonly model: string;
}

type PerformanceSumsRow = SeriesName & Readonly<Record<(typeof counted)[number], string>>;

function nameOf({ span, upstream, model }: SeriesName): string {
  return `${span}\0${upstream}\0${model}`;
}
