import { type JobStatement, statementsFor } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import { performanceSums, type PerformanceSums, type Sample, samplesOf } from './performance.ts';
import { dayOf } from './constraint-days.ts';
import { type RequestRecord, startOf } from './request-record.ts';
import { hourOf } from './usage-hours.ts';

/** Time span of a sum: hours for the last day, UTC days for weeks and months. */
export type PerformanceGrain = 'hour' | 'day';

/** Adds performance samples to the existing hours and days of models and routes. */
export function addPerformance(records: readonly RequestRecord[]): readonly JobStatement[] {
  return statementsFor(
    additionToSums,
    sumsOf(records).map(({ grain, start, upstream, model, sums }) => [
      grain,
      start,
      upstream,
      model,
      ...performanceSums.map((name) => sums[name]),
    ]),
  );
}

const keys = { grain: 'text', start: 'bigint', upstream: 'text', model: 'text' } as const;
const additionToSums = addition('performance_sums', keys, performanceSums);

interface GrainSums extends Omit<Sample, 'sums'> {
  readonly grain: PerformanceGrain;
  readonly start: number;
  readonly sums: { -readonly [Name in keyof PerformanceSums]: number };
}

/**
 * The order is fixed, so that two processes cannot deadlock. Days are added up from hours, because there are few of
 * those.
 */
function sumsOf(records: readonly RequestRecord[]): readonly GrainSums[] {
  const hours = new Map<string, GrainSums>();
  for (const record of records) {
    const start = hourOf(startOf(record));
    for (const sample of samplesOf(record)) addTo(hours, 'hour', start, sample);
  }
  const all = new Map(hours);
  for (const hour of hours.values()) addTo(all, 'day', dayOf(hour.start), hour);
  return [...all].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sums]) => sums);
}

function addTo(all: Map<string, GrainSums>, grain: PerformanceGrain, start: number, sample: Sample): void {
  const { upstream, model, sums } = sample;
  const name = `${grain}\0${start}\0${upstream}\0${model}`;
  const known = all.get(name);
  if (!known) all.set(name, { grain, start, upstream, model, sums: { ...sums } });
  else for (const sum of performanceSums) known.sums[sum] += sums[sum];
}
