import { expect, test } from 'vitest';
import type { BenchResult } from './bench-result.ts';
import { renderReport } from './report.ts';

const same = (median: number) => ({ median, lowest: median, highest: median });
const result: BenchResult = {
  reference: 'nginx',
  cpu: [
    {
      workload: 'one-write',
      ratios: { nginx: same(1), pipe: same(3), gateway: same(5.5) },
      readsPerAnswer: { nginx: 1, pipe: 1, gateway: 1 },
      saturated: { p50: { nginx: 1, gateway: 3 }, p99: { nginx: 1, gateway: 4 } },
    },
  ],
  failures: [],
};

test('a ratio above its target is shown as not met', () => {
  expect(renderReport(result)).toMatch(/all chunks in one write, nginx = 1 .* 5\.50 .* ≤ 5 .* no /);
});

test('without nginx its column is marked and its targets are not judged', () => {
  const [cpu] = result.cpu ?? [];
  const ratios = { pipe: same(1), gateway: same(1.5) };
  const report = renderReport({ ...result, reference: 'pipe', cpu: cpu && [{ ...cpu, ratios }] });
  expect(report).toMatch(/not available .* 1\.00 .* 1\.50/);
  expect(report).toMatch(/all chunks in one write, nginx = 1 .* – .* not measured/);
});

test('the report lists failed answers below the figures', () => {
  expect(renderReport({ ...result, failures: ['pipe: 3 answers failed'] })).toContain('pipe: 3 answers failed');
});
