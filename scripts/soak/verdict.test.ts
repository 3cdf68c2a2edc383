import { expect, test } from 'vitest';
import type { SoakSample } from './gateway.ts';
import { soakVerdict } from './verdict.ts';

function run(count: number, at: (minute: number) => Partial<SoakSample>): SoakSample[] {
  const calm = { heapMb: 50, rssMb: 120, loopP99Ms: 12, loopMaxMs: 30, running: 10 };
  return Array.from({ length: count }, (_, index) => ({ ...calm, atS: index * 5, ...at((index * 5) / 60) }));
}

test('a run with constant memory and delay passes', () => {
  const verdict = soakVerdict(run(60, () => ({})));
  expect(verdict).toEqual({ heapSlope: 0, rssSlope: 0, heapRatio: 1, rssRatio: 1, loopRatio: 1, isFine: true });
});

test('memory that keeps growing fails the run, and the slope is reported', () => {
  const verdict = soakVerdict(run(60, (minute) => ({ heapMb: 50 + 10 * minute })));
  expect(verdict.heapSlope).toBeCloseTo(10);
  expect(verdict.isFine).toBe(false);
});

test('memory that grows only while the process warms up passes', () => {
  const verdict = soakVerdict(run(60, (minute) => ({ heapMb: Math.min(50, 40 + 20 * minute) })));
  expect(verdict.heapSlope).toBeCloseTo(0);
  expect(verdict.isFine).toBe(true);
});

test('an event loop that gets slower fails the run', () => {
  expect(soakVerdict(run(60, (minute) => ({ loopP99Ms: 10 + 10 * minute }))).isFine).toBe(false);
});
