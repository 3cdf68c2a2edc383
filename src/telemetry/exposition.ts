import type { LabelValues } from './label-values.ts';
import { metricSpecs } from './metric-names.ts';
import type { MetricFamily } from './series.ts';

/** What Prometheus is told a reply is. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The figures of some processes as one, in the format of Prometheus. The library that knows it is loaded for the first one
 * who asks. What another process counted of something that is not configured any more is left out.
 */
export async function exposition(
  processes: readonly (readonly MetricFamily[])[],
  { isGone }: Pick<LabelValues, 'isGone'>,
): Promise<string> {
  const { Registry } = await import('@prometheus-io/client');
  const isKnown = ({ labels }: MetricFamily['values'][number]): boolean =>
    !Object.entries(labels).some(([label, value]) => isGone(label, String(value)));
  const current = processes.map((families) =>
    families.map((family) => ({ ...family, values: family.values.filter(isKnown) })),
  );
  return Registry.aggregate(current.map(inOrder)).metrics();
}

const order = new Map(Object.keys(metricSpecs).map((name, index) => [name, index]));

/** In the order of the table, which is that of its documentation. */
function inOrder(families: readonly MetricFamily[]): MetricFamily[] {
  const place = ({ name }: MetricFamily): number => order.get(name) ?? order.size;
  return families.toSorted((one, other) => place(one) - place(other));
}
