import { ruled } from './ruled.ts';
import type { BenchResult } from './bench-result.ts';
import { ownTargets, type TargetName } from './targets/target.ts';
import type { Workload } from './workload.ts';

/** A figure with a target. */
export interface Figure {
  readonly title: string;
  /** Undefined if this run did not measure it. */
  readonly value: number | undefined;
  readonly aim: number;
  readonly unit: '' | 'MB' | 'KB' | 'ms' | 's';
  /** Whether the target is a minimum. */
  readonly isFloor?: boolean;
}

/** The figures of docs/performance.md that this run measured. */
export function figuresOf(result: BenchResult): readonly Figure[] {
  return [...cpuFigures(result), ...memoryFigures(result), ...loopFigures(result), ...workerFigures(result)];
}

/** Lists misses first. */
export function figuresTable(figures: readonly Figure[]): string {
  const table = [['figure', 'this run', 'target', 'met']];
  for (const figure of figures.toSorted((one, other) => rank(one) - rank(other))) {
    const { title, value, aim, unit, isFloor } = figure;
    const limit = `${isFloor ? '≥' : '≤'} ${aim} ${unit}`.trim();
    table.push([title, value === undefined ? '–' : `${shown(value)} ${unit}`.trim(), limit, verdict(figure)]);
  }
  return ruled(table);
}

const answerTitles = [
  ['one-chunk', 'one chunk'],
  ['one-write', '20 chunks in one write'],
  ['separate-writes', '20 writes'],
] as const satisfies readonly (readonly [Workload, string])[];

function cpuFigures({ cpu, startSeconds }: BenchResult): readonly Figure[] {
  if (!cpu) return [];
  const of = (workload: Workload) => cpu.find((result) => result.workload === workload);
  const splice = answerTitles.map(([workload, title]): Figure => {
    const ratios = of(workload)?.ratios;
    const value = ratio(ratios?.gateway?.median, ratios?.splice?.median);
    return { title: `CPU per answer, ${title}, bare splice = 1`, value, aim: 2.5, unit: '' };
  });
  const peers = answerTitles.flatMap(([workload, title]): Figure[] => {
    const ratios = of(workload)?.ratios;
    const value = ratio(ratios?.gateway?.median, lowestOf(peersIn(ratios).map((name) => ratios?.[name]?.median)));
    const named = `CPU per answer, ${title}, cheapest other gateway = 1`;
    return value === undefined ? [] : [{ title: named, value, aim: 1, unit: '' }];
  });
  const p99 = of('one-write')?.saturated.p99;
  return [
    ...splice,
    ...peers,
    {
      title: 'CPU per answer, the first 5,000 answers after start, warm = 1',
      value: of('one-chunk')?.cold?.toWarm.gateway,
      aim: 1.5,
      unit: '',
    },
    {
      title: 'p99 at saturation, fastest other gateway = 1',
      value: ratio(p99?.gateway, lowestOf(peersIn(p99).map((name) => p99?.[name]))),
      aim: 1,
      unit: '',
    },
    { title: 'start to first answer', value: startSeconds, aim: 2, unit: 's' },
  ];
}

function peersIn(values: Partial<Record<TargetName, unknown>> = {}): readonly TargetName[] {
  return Object.keys(values).filter((name) => !ownTargets.includes(name));
}

function lowestOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function memoryFigures({ memory }: BenchResult): readonly Figure[] {
  const slow = memory?.slow.at(-1);
  if (!memory || !slow) return [];
  const streams = slow.streams.toLocaleString('en');
  const isServed = slow.allServed.gateway === true;
  return [
    { title: 'idle process', value: memory.idleMegabytes.gateway, aim: 100, unit: 'MB' },
    { title: 'peak at 64 busy connections', value: memory.busyPeakMegabytes.gateway, aim: 150, unit: 'MB' },
    {
      title: `each of ${streams} slow streams${isServed ? '' : ', not all of them served'}`,
      value: isServed ? slow.kilobytesEach.gateway : Number.POSITIVE_INFINITY,
      aim: 40,
      unit: 'KB',
    },
  ];
}

function loopFigures({ blocks }: BenchResult): readonly Figure[] {
  if (!blocks) return [];
  return [
    { title: 'event-loop delay under load, p99', value: blocks.delayP99Ms, aim: 50, unit: 'ms' },
    { title: 'event-loop delay under load, longest', value: blocks.delayMaxMs, aim: 200, unit: 'ms' },
  ];
}

/** The aim is that of two workers with a core each, so it does not apply to other numbers. */
function workerFigures({ sharing = [] }: BenchResult): readonly Figure[] {
  return sharing
    .filter(({ name }) => name === '2 workers')
    .map(({ answersToPossible }) => ({
      title: 'answers per second of 2 workers with a core each, one process = 1',
      value: 2 * answersToPossible,
      aim: 1.8,
      unit: '',
      isFloor: true,
    }));
}

function ratio(value: number | undefined, to: number | undefined): number | undefined {
  return value === undefined || to === undefined ? undefined : value / to;
}

function verdict({ value, aim, isFloor }: Figure): 'no' | 'not measured' | 'yes' {
  if (value === undefined || Number.isNaN(value)) return 'not measured';
  return (isFloor ? value >= aim : value <= aim) ? 'yes' : 'no';
}

function rank(figure: Figure): number {
  return ['no', 'not measured', 'yes'].indexOf(verdict(figure));
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
