import { readdirSync } from 'node:fs';
import { type MetricName, type MetricSpec, metricSpecs } from './metric-names.ts';
import { familyOf, labelled, type MetricFamily } from './series.ts';

/** A value that is read at scrape time: its metric, the values of its labels in their order, and the current value. */
export type GaugeReading = readonly [name: MetricName, values: readonly string[], value: number];

export function readingFamilies(readings: readonly GaugeReading[]): readonly MetricFamily[] {
  return [...Map.groupBy(readings, ([name]) => name)].map(([name, some]) => {
    const spec: MetricSpec = metricSpecs[name];
    return familyOf(
      name,
      spec,
      some.map(([, values, value]) => ({ labels: labelled(spec, values), value })),
    );
  });
}

/** Resource usage of the process, under the metric names that common dashboards use. */
export function processFigures(): readonly GaugeReading[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return [
    ['process_cpu_seconds_total', [], (user + system) / 1e6],
    ['process_resident_memory_bytes', [], rss],
    ['process_start_time_seconds', [], Math.round(performance.timeOrigin) / 1000],
    ['nodejs_heap_size_used_bytes', [], heapUsed],
    ['nodejs_heap_size_total_bytes', [], heapTotal],
    ['nodejs_external_memory_bytes', [], external],
    ...openFiles(),
  ];
}

/** Empty if the system has no `/proc`, or no descriptor is left to read it. */
function openFiles(): readonly GaugeReading[] {
  try {
    return [['process_open_fds', [], readdirSync('/proc/self/fd').length]];
  } catch {
    return [];
  }
}
