import { expect, test } from 'vitest';
import { FairQueue } from '../../src/serving/routing/fair-queue/fair-queue.ts';
import { aims } from './aims.ts';
import { Fifo } from './fifo.ts';
import { type FairnessFigures, fairnessFigures } from './figures.ts';

const names = Object.keys(aims) as (keyof FairnessFigures)[];

test('the fair queue meets every fairness target in the simulation', () => {
  const figures = fairnessFigures((elapsed) => new FairQueue(elapsed));
  expect(figures.jain).toBeGreaterThanOrEqual(0.99);
  expect(figures.shareError).toBeLessThanOrEqual(0.03);
  expect(figures.lightWaitP99).toBeLessThanOrEqual(1);
  expect(figures.waitRatio).toBeLessThanOrEqual(1.5);
  expect(figures.starved).toBe(0);
  expect(figures.workConservation).toBeGreaterThanOrEqual(0.98);
  expect(names.filter((name) => !aims[name].isMet(figures[name]))).toEqual([]);
});

test('a FIFO misses the important targets, so the scenarios can fail', () => {
  const figures = fairnessFigures(() => new Fifo());
  const broken = names.filter((name) => !aims[name].isMet(figures[name]));
  expect(broken).toEqual(expect.arrayContaining(['jain', 'shareError', 'lightWaitP99']));
});
