/** The measurements with percentiles, in the order in which histograms number their buckets. */
const measures = ['queue_ms', 'first_token_ms', 'tokens_per_second'] as const;
export type Measure = (typeof measures)[number];

/**
 * Counts of values by bucket, as text: `bucket:count;` for each. Every text of a histogram is a list of such entries,
 * so the histogram of two sets of values is one text after the other. `compacted` adds up the entries of a bucket.
 */
export type Histograms = string;

/** The upper end of a bucket, relative to its lower end. A percentile is at most 5 % from the exact one. */
const bucketRatio = 1.1;
/** Bucket 0 holds values below 1, the last one all values from 32 billion on. */
const bucketsMax = 256;
/** Speeds are counted in hundredths, because slow models generate few tokens per second. */
const scales: Readonly<Record<Measure, number>> = { queue_ms: 1, first_token_ms: 1, tokens_per_second: 100 };

/** The histograms of one value of each measurement that has one. */
export function histogramsOf(values: Readonly<Partial<Record<Measure, number | null>>>): Histograms {
  return measures
    .map((measure, index) => {
      const value = values[measure];
      return value === undefined || value === null
        ? ''
        : `${index * bucketsMax + bucketOf(value * scales[measure])}:1;`;
    })
    .join('');
}

/** The same histograms with one entry for each bucket, in order. Equal counts give equal texts. */
export function compacted(histograms: Histograms, only: readonly Measure[] = measures): Histograms {
  const entries = [...countsOf(histograms)]
    .filter(([bucket, count]) => count !== 0 && only.some((measure) => isOf(measure, bucket)))
    .sort(([one], [other]) => one - other);
  return entries.map(([bucket, count]) => `${bucket}:${count};`).join('');
}

/** Histograms to add in order to take these away. */
export function negated(histograms: Histograms): Histograms {
  return Array.from(countsOf(histograms), ([bucket, count]) => `${bucket}:${-count};`).join('');
}

/** Number of values, and percentiles by nearest rank. Null without a value. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export function percentilesOf(histograms: Histograms): Readonly<Record<Measure, Percentiles>> {
  const counts = [...countsOf(histograms)].sort(([one], [other]) => one - other);
  const ofMeasure = (measure: Measure): Percentiles => {
    const first = measures.indexOf(measure) * bucketsMax;
    const own = counts.filter(([bucket]) => isOf(measure, bucket));
    const count = own.reduce((sum, [, more]) => sum + more, 0);
    const at = (share: number): number | null => {
      let rank = Math.max(1, Math.ceil(share * count));
      for (const [bucket, more] of own) {
        rank -= more;
        if (rank <= 0) return middleOf(bucket - first) / scales[measure];
      }
      return null;
    };
    return { count, p50: at(0.5), p95: at(0.95) };
  };
  return {
    queue_ms: ofMeasure('queue_ms'),
    first_token_ms: ofMeasure('first_token_ms'),
    tokens_per_second: ofMeasure('tokens_per_second'),
  };
}

function isOf(measure: Measure, bucket: number): boolean {
  return measures[Math.floor(bucket / bucketsMax)] === measure;
}

function bucketOf(value: number): number {
  if (!(value >= 1)) return 0;
  return Math.min(1 + Math.floor(Math.log(value) / Math.log(bucketRatio)), bucketsMax - 1);
}

/** The geometric mean of a bucket's ends. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : bucketRatio ** (bucket - 0.5);
}

const [minus, zero, colon] = [45, 48, 58];

/** Reads by character code: a page reads some hundred thousand entries. */
function countsOf(histograms: Histograms): Map<number, number> {
  const counts = new Map<number, number>();
  let [bucket, number, sign] = [0, 0, 1];
  for (let index = 0; index < histograms.length; index += 1) {
    const code = histograms.charCodeAt(index);
    if (code === minus) sign = -1;
    else if (code === colon) [bucket, number] = [number, 0];
    else if (code >= zero && code < colon) number = number * 10 + code - zero;
    else {
      counts.set(bucket, (counts.get(bucket) ?? 0) + sign * number);
      [number, sign] = [0, 1];
    }
  }
  return counts;
}
