import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type MetricSpec, metricSpecs } from '../src/operate/telemetry/metrics/metric-names.ts';
import { metricsDocs, metricsDocsFile } from './metrics-docs.ts';

test('docs/metrics.md matches the table; `node scripts/metrics-docs.ts` writes it', () => {
  expect(readFileSync(metricsDocsFile, 'utf8')).toBe(metricsDocs());
});

test.for(Object.entries(metricSpecs) as [string, MetricSpec][])('%s follows the conventions', ([name, spec]) => {
  expect(name).toMatch(/^(gen_ai|gateway|process|nodejs)_[a-z_]+$/);
  expect(name.endsWith('_total')).toBe(spec.type === 'counter');
  expect(spec.buckets !== undefined).toBe(spec.type === 'histogram');
  expect(spec.buckets ?? []).toEqual([...(spec.buckets ?? [])].sort((one, other) => one - other));
  const bounded =
    /^(gen_ai_.+|surface|status|case|model|fallback|constraint|package|upstream|state|outcome|reason|what|currency|version|node|error_type)$/;
  for (const label of spec.labels) expect(label).toMatch(bounded);
});
