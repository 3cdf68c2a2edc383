import { expect, test } from 'vitest';
import { figuresOf, figuresTable } from './figures.ts';
import type { BenchResult } from './bench-result.ts';

const result: BenchResult = {
  reference: 'nginx',
  memory: {
    idleMegabytes: { gateway: 110 },
    busyPeakMegabytes: { gateway: 230 },
    slow: [{ streams: 10_000, kilobytesEach: { gateway: 30 }, allServed: { gateway: true } }],
  },
  blocks: { longestBlockMs: 1.5, longestBusyMs: 1, longestCollectionMs: 9 },
  failures: [],
};

test('the table lists missed figures first', () => {
  const rows = figuresTable(figuresOf(result))
    .split('\n')
    .filter((line) => line.includes('│'));
  expect(rows[1]).toMatch(/peak at 64 busy connections .* 230 MB .* ≤ 200 MB .* no/);
  expect(rows).toHaveLength(5);
});

test('the figure of streams is missed if not all were served, however little memory they take', () => {
  const slow = [{ streams: 10_000, kilobytesEach: { gateway: 3 }, allServed: { gateway: false } }];
  const memory = result.memory && { ...result.memory, slow };
  expect(figuresTable(figuresOf({ ...result, memory }))).toMatch(/not all of them served .* – .* no/);
});
