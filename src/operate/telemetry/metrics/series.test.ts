import { expect, test } from 'vitest';
import { type MetricSpec, metricSpecs } from './metric-names.ts';
import { MetricSet } from './metric-set.ts';
import { Counter, Series, sumFamilies } from './series.ts';

test('a histogram counts a value in the first bucket whose bound it does not exceed, and its buckets are cumulative', () => {
  const metrics = new MetricSet('full');
  const waits = metrics.histogram('gateway_queue_wait_seconds', 'acme', 'standard');
  waits.observe(0.001);
  waits.observe(7, 3);
  waits.observe(1e6);
  const family = metrics.families().find(({ name }) => name === 'gateway_queue_wait_seconds')!;
  const labels = { upstream: 'acme', package: 'standard' };
  const samples = Object.fromEntries(
    family.values.map(({ labels: { le }, metricName, value }) => [le ?? metricName!, value]),
  );
  expect(samples).toMatchObject({ 0.001: 1, 5: 1, 10: 4, 600: 4, '+Inf': 5 });
  expect(samples).toMatchObject({ gateway_queue_wait_seconds_count: 5, gateway_queue_wait_seconds_sum: 1_000_021.001 });
  expect(family.values.every((sample) => sample.labels['upstream'] === labels.upstream)).toBe(true);
});

test('a label without a value is left out', () => {
  const spec: MetricSpec = metricSpecs.gateway_requests_total;
  const series = new Series('gateway_requests_total', { spec, make: () => new Counter() });
  series.of('chat_completions', '', 'standard', '4xx').value += 1;
  expect(series.family().values).toEqual([
    { labels: { surface: 'chat_completions', package: 'standard', status: '4xx' }, value: 1 },
  ]);
});

test('counters and histograms of an ended process are kept and added up, and gauges are dropped', () => {
  const [one, other] = [new MetricSet('full'), new MetricSet('full')];
  one.counter('gateway_slots_granted_total', 'acme', 'standard').value = 3;
  other.counter('gateway_slots_granted_total', 'acme', 'standard').value = 4;
  other.counter('gateway_slots_granted_total', 'acme', 'gold').value = 1;
  one.histogram('gateway_overhead_seconds', 'messages').observe(0.1);
  other.histogram('gateway_overhead_seconds', 'messages').observe(0.2);
  const gauge = { name: 'gateway_holds', help: '', type: 'gauge', aggregator: 'sum', values: [] } as const;
  const sums = sumFamilies([...one.families(), gauge], other.families());
  const values = (name: string) => sums.find((family) => family.name === name)?.values.map(({ value }) => value);
  expect(values('gateway_slots_granted_total')).toEqual([7, 1]);
  expect(values('gateway_overhead_seconds')?.slice(-1)).toEqual([2]);
  expect(values('gateway_holds')).toBeUndefined();
});
