import type { LabelValues } from './label-values.ts';
import { metricSpecs } from './metric-names.ts';
import type { MetricFamily } from './series.ts';

/** The content type of the Prometheus text format. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Merges the metrics of several processes into the Prometheus text format. The library is loaded on the first call.
 * Series of resources that are no longer configured are left out.
 */
export async function exposition(
  processes: readonly (readonly MetricFamily[])[],
  { isStale }: Pick<LabelValues, 'isStale'>,
): Promise<string> {
  const { Registry } = await import('@prometheus-io/client');
  const isKnown = ({ labels }: MetricFamily['values'][number]): boolean =>
    !Object.entries(labels).some(([label, value]) => isStale(label, String(value)));
  const current = processes.map((families) =>
    families.map((family) => ({ ...family, values: family.values.filter(isKnown) })),
  );
  return Registry.aggregate(current.map(inOrder)).metrics();
}

const order = new Map(Object.keys(metricSpecs).map((name, index) => [name, index]));

/** Sorts metrics by their order in the table, which is also the order of the documentation. */
function inOrder(families: readonly MetricFamily[]): MetricFamily[] {
  const indexOf = ({ name }: MetricFamily): number => order.get(name) ?? order.size;
  return families.toSorted((one, other) => indexOf(one) - indexOf(other));
}
