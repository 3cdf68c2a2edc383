import { expect, test } from 'vitest';
import { figuresOf, figuresTable } from './figures.ts';
import type { BenchResult } from './bench-result.ts';

const result: BenchResult = {
  reference: 'nginx',
  memory: {
    idleMegabytes: { gateway: 90 },
    busyPeakMegabytes: { gateway: 230 },
    slow: [{ streams: 10_000, kilobytesEach: { gateway: 30 }, allServed: { gateway: true } }],
  },
  blocks: { delayP99Ms: 4, delayMaxMs: 12, longestBlockMs: 1.5, longestBusyMs: 1, longestCollectionMs: 9 },
  failures: [],
};

test('the table lists missed figures first', () => {
  const rows = figuresTable(figuresOf(result))
    .split('\n')
    .filter((line) => line.includes('│'));
  expect(rows[1]).toMatch(/peak at 64 busy connections .* 230 MB .* ≤ 150 MB .* no/);
  expect(rows).toHaveLength(6);
});

test('the figure of streams is missed if not all were served, however little memory they take', () => {
  const slow = [{ streams: 10_000, kilobytesEach: { gateway: 3 }, allServed: { gateway: false } }];
  const memory = result.memory && { ...result.memory, slow };
  expect(figuresTable(figuresOf({ ...result, memory }))).toMatch(/not all of them served .* – .* no/);
});

test('the CPU of a cold gateway is compared with its own warm cost', () => {
  const same = (median: number) => ({ median, lowest: median, highest: median });
  const cpu: BenchResult['cpu'] = [
    {
      workload: 'one-chunk',
      ratios: { splice: same(2), gateway: same(6) },
      readsPerAnswer: {},
      saturated: { p50: {}, p99: {} },
      cold: { toReference: { gateway: 12 }, toWarm: { gateway: 2 } },
    },
  ];
  const table = figuresTable(figuresOf({ ...result, cpu, startSeconds: 1.2 }));
  expect(table).toMatch(/one chunk, bare splice = 1 .* 3\.00 .* ≤ 2\.5 .* no/);
  expect(table).toMatch(/the first 5,000 answers after start, warm = 1 .* 2\.00 .* ≤ 1\.5 .* no/);
  expect(table).toMatch(/start to first answer .* 1\.20 s .* ≤ 2 s .* yes/);
});

test('two workers are judged by the answers that they give with a core each', () => {
  const one = { answersToOne: 1, answersToPossible: 1, cpuToOne: 1, gatewayCores: 1, loadCores: 1 };
  const sharing = [
    { ...one, name: 'one process', databaseCpu: undefined },
    { ...one, name: '2 workers', answersToOne: 1.2, answersToPossible: 0.95, databaseCpu: undefined },
  ];
  expect(figuresTable(figuresOf({ ...result, sharing }))).toMatch(
    /2 workers with a core each.* 1\.90 .* ≥ 1\.8 .* yes/,
  );
});
