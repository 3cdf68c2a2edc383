import { expect, test } from 'vitest';
import type { BenchResult } from './bench-result.ts';
import { renderReport } from './report.ts';

const same = (median: number) => ({ median, lowest: median, highest: median });
const result: BenchResult = {
  reference: 'nginx',
  cpu: [
    {
      workload: 'one-write',
      ratios: { nginx: same(1), pipe: same(3), splice: same(2), gateway: same(5.5) },
      readsPerAnswer: { nginx: 1, pipe: 1, gateway: 1 },
      saturated: { p50: { nginx: 1, gateway: 3 }, p99: { nginx: 1, gateway: 4 } },
    },
  ],
  failures: [],
};

test('a ratio above its target is shown as not met', () => {
  expect(renderReport(result)).toMatch(/20 chunks in one write, bare splice = 1 .* 2\.75 .* ≤ 2\.5 .* no\n/);
});

test('without nginx its column is marked, and without a peer its target is not judged', () => {
  const [cpu] = result.cpu ?? [];
  const ratios = { pipe: same(1), gateway: same(1.5) };
  const report = renderReport({ ...result, reference: 'pipe', cpu: cpu && [{ ...cpu, ratios }] });
  expect(report).toMatch(/not available .* 1\.00 .* 1\.50/);
  expect(report).toMatch(/fastest other gateway = 1 .* – .* not measured/);
});

test('a peer that is slower meets the target of the p99', () => {
  const [cpu] = result.cpu ?? [];
  const saturated = { p50: {}, p99: { nginx: 1, gateway: 4, portkey: 8 } };
  const report = renderReport({ ...result, cpu: cpu && [{ ...cpu, saturated }] });
  expect(report).toMatch(/fastest other gateway = 1 .* 0\.50 .* ≤ 1 .* yes/);
});

test('a peer has a column and a line that says what it was configured to do', () => {
  const [cpu] = result.cpu ?? [];
  const ratios = { nginx: same(1), gateway: same(1.5), other: same(7.25) };
  const peers = [{ name: 'other', configured: 'Without a database.' }];
  const report = renderReport({ ...result, peers, cpu: cpu && [{ ...cpu, ratios }] });
  expect(report).toMatch(/64 connections .* gateway .* other/);
  expect(report).toMatch(/20 chunks in one write .* 7\.25/);
  expect(report).toContain('other: Without a database.');
});

test('the report lists failed answers below the figures', () => {
  expect(renderReport({ ...result, failures: ['pipe: 3 answers failed'] })).toContain('pipe: 3 answers failed');
});

test('the charges beyond the whole answers are what a kill cost the customer', () => {
  const received = { calls: 90, cost: 900 };
  const money = { received, cutOff: { calls: 10, cost: 100 }, charged: 930, reported: 920, ledgerIsSound: true };
  expect(renderReport({ reference: 'pipe', money, failures: [] })).toMatch(/beyond the whole answers .* 30\n/);
});

test('the answers of a full provider are shown for the light and the heavy account of each gateway', () => {
  const service = { attempts: 4, answersPerSecond: 2, firstTokenMs: { p50: 1_500, p99: 9_000 } };
  const fairness = [
    { name: 'gateway', hasAccounts: true, light: { ...service, answered: 1 }, heavy: { ...service, answered: 0.5 } },
  ];
  const report = renderReport({ reference: 'pipe', fairness, failures: [] });
  expect(report).toMatch(/answered .* 100\.0 %[^]*answered .* 50\.0 %/);
  expect(report).toMatch(/first token, p99, s .* 9\.00/);
});
