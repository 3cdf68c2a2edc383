import { type Ask, asks } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import { nothingMeasured, performanceSums, type PerformanceSums, type Sample, samplesOf } from './performance.ts';
import { dayOf } from './promise-days.ts';
import { type RequestRecord, startOf } from './request-record.ts';
import { hourOf } from './usage-hours.ts';

/** How much time a sum covers: hours for what is told of the last day, days of UTC for weeks and months. */
export type PerformanceGrain = 'hour' | 'day';

/** Adds how models and routes did to what their hours and days have already. */
export function addPerformance(records: readonly RequestRecord[]): readonly Ask[] {
  return asks(
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

interface GrainSums extends Sample {
  readonly grain: PerformanceGrain;
  readonly start: number;
}

/** In a fixed order, so that two processes never lock each other out. */
function sumsOf(records: readonly RequestRecord[]): readonly GrainSums[] {
  const all = new Map<string, GrainSums>();
  for (const record of records) {
    const startedAt = startOf(record);
    const starts = [
      { grain: 'hour', start: hourOf(startedAt) },
      { grain: 'day', start: dayOf(startedAt) },
    ] as const;
    for (const { upstream, model, sums } of samplesOf(record)) {
      for (const { grain, start } of starts) {
        const name = `${grain}\0${start}\0${upstream}\0${model}`;
        const before = all.get(name)?.sums ?? nothingMeasured;
        all.set(name, { grain, start, upstream, model, sums: together(before, sums) });
      }
    }
  }
  return [...all].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sums]) => sums);
}

function together(one: PerformanceSums, other: PerformanceSums): PerformanceSums {
  const sums = performanceSums.map((name) => [name, one[name] + other[name]]);
  return Object.fromEntries(sums) as PerformanceSums;
}
