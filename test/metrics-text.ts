/** The values of `/metrics` by their series: `name{label="value"}`. */
export function metricsIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The sum of all series of a metric whose labels contain this text. */
export function sumIn(metrics: ReadonlyMap<string, number>, name: string, labels = ''): number {
  return [...metrics]
    .filter(([series]) => (series === name || series.startsWith(`${name}{`)) && series.includes(labels))
    .reduce((sum, [, value]) => sum + value, 0);
}
