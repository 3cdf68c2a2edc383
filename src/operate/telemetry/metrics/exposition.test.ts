import { expect, test } from 'vitest';
import { exposition } from './exposition.ts';
import type { MetricFamily } from './series.ts';

const family = (name: string, more: Partial<MetricFamily> = {}): MetricFamily => ({
  name,
  help: 'Some figure.',
  type: 'counter',
  aggregator: 'sum',
  values: [],
  ...more,
});

const nothingStale = { isStale: () => false };

test('metrics are printed in the order of the documentation, with help, type and all series', () => {
  const histogram = family('gateway_overhead_seconds', {
    type: 'histogram',
    values: [
      { labels: { le: 0.5, surface: 'a' }, value: 1, metricName: 'gateway_overhead_seconds_bucket' },
      { labels: { le: '+Inf', surface: 'a' }, value: 2, metricName: 'gateway_overhead_seconds_bucket' },
      { labels: { surface: 'a' }, value: 0.75, metricName: 'gateway_overhead_seconds_sum' },
      { labels: { surface: 'a' }, value: 2, metricName: 'gateway_overhead_seconds_count' },
    ],
  });
  const holds = family('gateway_holds', { type: 'gauge', values: [{ labels: {}, value: 3 }] });
  const requests = family('gateway_requests_total');
  expect(exposition([[holds, histogram, requests]], nothingStale)).toBe(`# HELP gateway_requests_total Some figure.
# TYPE gateway_requests_total counter

# HELP gateway_overhead_seconds Some figure.
# TYPE gateway_overhead_seconds histogram
gateway_overhead_seconds_bucket{le="0.5",surface="a"} 1
gateway_overhead_seconds_bucket{le="+Inf",surface="a"} 2
gateway_overhead_seconds_sum{surface="a"} 0.75
gateway_overhead_seconds_count{surface="a"} 2

# HELP gateway_holds Some figure.
# TYPE gateway_holds gauge
gateway_holds 3
`);
});

test('special characters are escaped, and infinite values have the names that Prometheus reads', () => {
  const labels = { model: 'a "b" \\ c\nd' };
  const values = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e21].map((value, index) => ({
    labels: { ...labels, index },
    value,
  }));
  const lines = exposition([[family('x', { help: 'one\ntwo \\ "three"', values })]], nothingStale).split('\n');
  const text = 'x{model="a \\"b\\" \\\\ c\\nd",index=';
  expect(lines).toEqual([
    '# HELP x one\\ntwo \\\\ "three"',
    '# TYPE x counter',
    `${text}"0"} +Inf`,
    `${text}"1"} -Inf`,
    `${text}"2"} NaN`,
    `${text}"3"} 1e+21`,
    '',
  ]);
});

test('the values of several processes are combined by the aggregator of the metric', () => {
  const process = (value: number): MetricFamily[] =>
    (['sum', 'max', 'min'] as const).map((aggregator) =>
      family(aggregator, { aggregator, values: [{ labels: { a: 'b' }, value }] }),
    );
  const lines = exposition([process(2), process(5), process(3)], nothingStale).split('\n');
  expect(lines.filter((line) => line.includes('{'))).toEqual(['sum{a="b"} 10', 'max{a="b"} 5', 'min{a="b"} 2']);
});

test('series of resources that are no longer configured are left out', () => {
  const values = ['old', 'new'].map((model) => ({ labels: { model }, value: 1 }));
  const isStale = (label: string, value: string): boolean => label === 'model' && value === 'old';
  const text = exposition([[family('x', { values })]], { isStale });
  expect(text).toContain('x{model="new"} 1');
  expect(text).not.toContain('old');
});
