import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compacted, histogramsOf, type Measure, negated, percentilesOf } from './histograms.ts';

const anyMeasure = fc.constantFrom<Measure>('queue_ms', 'first_token_ms', 'tokens_per_second');
/** Up to three days in milliseconds, and far beyond any speed. */
const anyValues = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 300_000_000 }), fc.double({ min: 1, max: 1e6, noNaN: true })),
  {
    minLength: 1,
    maxLength: 300,
  },
);

function exact(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0;
}

const joined = (texts: readonly string[]) => texts.join('');

test('a percentile of merged histograms is within 5 % of the exact one, for any values and any parts', () => {
  fc.assert(
    fc.property(anyMeasure, anyValues, fc.array(fc.nat(), { maxLength: 5 }), (measure, values, cuts) => {
      const texts = values.map((value) => histogramsOf({ [measure]: value }));
      const ends = [...cuts.map((cut) => cut % values.length), values.length].sort((one, other) => one - other);
      const parts = ends.map((end, index) => compacted(joined(texts.slice(ends[index - 1] ?? 0, end))));
      const found = percentilesOf(joined(parts))[measure];
      expect(found.count).toBe(values.length);
      for (const [percentile, share] of [
        [found.p50, 0.5],
        [found.p95, 0.95],
      ] as const) {
        const expected = exact(values, share);
        expect(Math.abs((percentile ?? Number.NaN) - expected)).toBeLessThanOrEqual(expected * 0.05);
      }
    }),
  );
});

test('merging histograms gives the same text in every order, and taking a part away leaves the others', () => {
  const anyText = fc
    .array(fc.record({ queue_ms: fc.nat(), first_token_ms: fc.option(fc.nat()), tokens_per_second: fc.nat() }))
    .map((requests) => joined(requests.map(histogramsOf)));
  fc.assert(
    fc.property(anyText, anyText, anyText, (one, two, three) => {
      expect(compacted(three + compacted(two + one))).toBe(compacted(compacted(one + two) + three));
      expect(compacted(one + two + negated(two))).toBe(compacted(one));
    }),
  );
});

test('histograms of different measurements do not mix, and a measurement without values has no percentile', () => {
  const histograms = histogramsOf({ queue_ms: 0, tokens_per_second: 50 }) + histogramsOf({ queue_ms: Number.NaN });
  const { queue_ms, first_token_ms, tokens_per_second } = percentilesOf(histograms);
  expect(queue_ms).toEqual({ count: 2, p50: 0, p95: 0 });
  expect(first_token_ms).toEqual({ count: 0, p50: null, p95: null });
  expect(tokens_per_second.p50).toBeCloseTo(50, -1);
});

test('values beyond every bucket count for the last one', () => {
  const { p95 } = percentilesOf(histogramsOf({ queue_ms: 1e300 })).queue_ms;
  expect(p95).toBeGreaterThan(3e10);
});
