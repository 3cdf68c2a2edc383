import Table from 'cli-table3';
import type { BenchResult } from './bench-result.ts';
import type { TargetName } from './targets/target.ts';
import type { Workload } from './workload.ts';

/** A figure with a target. */
export interface Figure {
  readonly title: string;
  /** Undefined if this run did not measure it. */
  readonly value: number | undefined;
  readonly aim: number;
  readonly unit: '' | 'MB' | 'KB' | 'ms';
  /** Whether the target is a minimum. */
  readonly isFloor?: boolean;
}

/** The figures of docs/performance.md that this run measured. */
export function figuresOf(result: BenchResult): readonly Figure[] {
  return [...cpuFigures(result), ...latencyFigures(result), ...memoryFigures(result), ...otherFigures(result)];
}

/** Lists misses first. */
export function figuresTable(figures: readonly Figure[]): string {
  const table = new Table({ head: ['figure', 'this run', 'target', 'met'], style: { head: [], border: [] } });
  for (const figure of figures.toSorted((one, other) => rank(one) - rank(other))) {
    const { title, value, aim, unit, isFloor } = figure;
    const limit = `${isFloor ? '≥' : '≤'} ${aim} ${unit}`.trim();
    table.push([title, value === undefined ? '–' : `${shown(value)} ${unit}`.trim(), limit, verdict(figure)]);
  }
  return table.toString();
}

function cpuFigures({ cpu, reference }: BenchResult): readonly Figure[] {
  if (!cpu) return [];
  const of = (workload: Workload, name: TargetName) =>
    cpu.find((result) => result.workload === workload)?.ratios[name]?.median;
  const toNginx = (workload: Workload) => (reference === 'nginx' ? of(workload, 'gateway') : undefined);
  const saturated = cpu.find(({ workload }) => workload === 'one-write')?.saturated.p99.gateway;
  const peer = of('one-chunk', 'portkey');
  return [
    { title: 'CPU per answer, a write per chunk, nginx = 1', value: toNginx('separate-writes'), aim: 2, unit: '' },
    { title: 'CPU per answer, all chunks in one write, nginx = 1', value: toNginx('one-write'), aim: 5, unit: '' },
    {
      title: 'CPU per answer, all chunks in one write, bare splice = 1',
      value: ratio(of('one-write', 'gateway'), of('one-write', 'splice')),
      aim: 1.4,
      unit: '',
    },
    { title: 'CPU per answer of one chunk, nginx = 1', value: toNginx('one-chunk'), aim: 4, unit: '' },
    ...(peer === undefined
      ? []
      : ([
          {
            title: 'CPU per answer of one chunk, Portkey = 1',
            value: ratio(of('one-chunk', 'gateway'), peer),
            aim: 1,
            unit: '',
          },
        ] as const)),
    {
      title: 'p99 at saturation, 64 connections, nginx = 1',
      value: reference === 'nginx' ? saturated : undefined,
      aim: 5,
      unit: '',
    },
  ];
}

function latencyFigures({ latency }: BenchResult): readonly Figure[] {
  const rows = latency?.at(-1)?.rows.filter(({ quantile }) => quantile === 'p99') ?? [];
  return rows.map(({ what, toPipe }) => ({
    title: `${what}, p99 at half of saturation, bare Node pipe = 1`,
    value: toPipe.gateway,
    aim: 1.3,
    unit: '',
  }));
}

function memoryFigures({ memory }: BenchResult): readonly Figure[] {
  const slow = memory?.slow.at(-1);
  if (!memory || !slow) return [];
  const streams = slow.streams.toLocaleString('en');
  const isServed = slow.allServed.gateway === true;
  return [
    { title: 'idle process', value: memory.idleMegabytes.gateway, aim: 120, unit: 'MB' },
    { title: 'peak at 64 busy connections', value: memory.busyPeakMegabytes.gateway, aim: 200, unit: 'MB' },
    {
      title: `each of ${streams} slow streams${isServed ? '' : ', not all of them served'}`,
      value: isServed ? slow.kilobytesEach.gateway : Number.POSITIVE_INFINITY,
      aim: 40,
      unit: 'KB',
    },
  ];
}

function otherFigures({ blocks, sharing = [] }: BenchResult): readonly Figure[] {
  const figures: Figure[] = [];
  if (blocks) {
    const title = 'longest block of the event loop under load, collections apart';
    figures.push({ title, value: blocks.longestBlockMs, aim: 2, unit: 'ms' });
  }
  for (const { name, answersToPossible, cpuToOne } of sharing.slice(1)) {
    const answers = `answers per second of ${name}, capacity of the cores = 1`;
    figures.push({ title: answers, value: answersToPossible, aim: 0.9, unit: '', isFloor: true });
    figures.push({ title: `CPU per answer of ${name}, one process = 1`, value: cpuToOne, aim: 1.1, unit: '' });
  }
  return figures;
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
