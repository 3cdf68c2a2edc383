import type { SoakSample } from './gateway.ts';

/** Compares a run with its own beginning, because absolute values depend on the machine. */
export interface SoakVerdict {
  /** Megabytes a minute, without the first third of the run. */
  readonly heapSlope: number;
  readonly rssSlope: number;
  /** The last third of the run divided by the first third. */
  readonly heapRatio: number;
  readonly rssRatio: number;
  readonly loopRatio: number;
  readonly isFine: boolean;
}

const heapRatioMax = 1.2;
/** V8 and the allocator keep freed memory, so resident memory rises for some minutes and then stays. */
const rssRatioMax = 1.5;
const loopRatioMax = 2;

export function soakVerdict(samples: readonly SoakSample[]): SoakVerdict {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const [first, last] = [samples.slice(0, third), samples.slice(-third)];
  const later = samples.slice(third);
  const heapRatio = median(last, 'heapMb') / median(first, 'heapMb');
  const rssRatio = median(last, 'rssMb') / median(first, 'rssMb');
  const loopRatio = median(last, 'loopP99Ms') / median(first, 'loopP99Ms');
  return {
    heapSlope: slope(later, 'heapMb'),
    rssSlope: slope(later, 'rssMb'),
    heapRatio,
    rssRatio,
    loopRatio,
    isFine: heapRatio <= heapRatioMax && rssRatio <= rssRatioMax && loopRatio <= loopRatioMax,
  };
}

/** Slope of the least-squares line, per minute. */
function slope(samples: readonly SoakSample[], field: 'heapMb' | 'rssMb'): number {
  const minutes = samples.map(({ atS }) => atS / 60);
  const values = samples.map((sample) => sample[field]);
  const [meanMinute, meanValue] = [mean(minutes), mean(values)];
  const spread = minutes.reduce((sum, minute) => sum + (minute - meanMinute) ** 2, 0);
  const rise = minutes.reduce(
    (sum, minute, index) => sum + (minute - meanMinute) * ((values[index] ?? 0) - meanValue),
    0,
  );
  return spread === 0 ? 0 : rise / spread;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(samples: readonly SoakSample[], field: keyof SoakSample): number {
  const sorted = samples.map((sample) => sample[field]).toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
