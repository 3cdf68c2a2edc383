import type { LabelValues } from '../label-values.ts';
import { metricSpecs } from './metric-names.ts';
import { mergeFamilies, type MetricFamily, type SeriesSample } from './series.ts';

/** The content type of the Prometheus text format. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** The merged metrics of several processes, as Prometheus text, without series of removed resources. */
export function exposition(
  processes: readonly (readonly MetricFamily[])[],
  { isStale }: Pick<LabelValues, 'isStale'>,
): string {
  const isKnown = ({ labels }: SeriesSample): boolean =>
    !Object.entries(labels).some(([label, value]) => isStale(label, String(value)));
  const families = inOrder(mergeFamilies(processes.flat()));
  return `${families.map((family) => familyText(family, isKnown)).join('\n\n')}\n`;
}

const order = new Map(Object.keys(metricSpecs).map((name, index) => [name, index]));

/** Sorts metrics by their order in the table, which is also the order of the documentation. */
function inOrder(families: readonly MetricFamily[]): readonly MetricFamily[] {
  const indexOf = ({ name }: MetricFamily): number => order.get(name) ?? order.size;
  return families.toSorted((one, other) => indexOf(one) - indexOf(other));
}

function familyText({ name, help, type, values }: MetricFamily, isKnown: (sample: SeriesSample) => boolean): string {
  const lines = values.filter(isKnown).map(({ metricName = name, labels, value }) => {
    const pairs = Object.entries(labels).map(
      ([label, of]) => `${label}="${escaped(String(of)).replaceAll('"', '\\"')}"`,
    );
    return `${metricName}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${numberText(value)}`;
  });
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  return String(value).replace(/^(-?)Infinity$/, (_match, sign: string) => `${sign || '+'}Inf`);
}
