import { expect, test } from 'vitest';
import { jainIndex } from '../../../src/serving/routing/queue/jain-index.ts';
import { type ClusterPlan, percentile, playCluster, workOf } from './cluster.ts';
import { faultyPlan } from './faulty-plan.ts';
import type { Served } from './member.ts';

const usual = {
  seed: 11,
  gateways: 3,
  limit: 20,
  mood: { latencyMs: 5, lossShare: 0 },
  serviceMs: 1000,
  durationMs: 60_000,
} satisfies Partial<ClusterPlan>;
const settledMs = 10_000;
/** The longest answer. */
const longestMs = 1.5 * usual.serviceMs;

const interactiveWaits = (served: readonly Served[]): readonly number[] =>
  served.filter(({ isIdle, atMs }) => !isIdle && atMs > settledMs).map(({ waitMs }) => waitMs);

test('10,000 idle requests on 8 slots delay an interactive request by at most one answer', async () => {
  const people = [0, 1, 2, 3].map((index) => ({
    account: `person ${index}`,
    at: [{ gateway: 0, requests: 3 }],
    pauseMs: 1500,
  }));
  const batch = { account: 'batch', isIdle: true, at: [{ gateway: 0, requests: 10_000 }] };
  const plan = { ...usual, gateways: 1, limit: 8 };
  const without = await playCluster({ ...plan, loads: people });
  const next = await playCluster({ ...plan, loads: [...people, batch] });
  const [before, after] = [interactiveWaits(without.served), interactiveWaits(next.served)];
  expect(after.length).toBeGreaterThan(100);
  expect(Math.max(...after)).toBeLessThan(Math.max(...before) + longestMs);
  expect(percentile(after, 0.5)).toBeLessThan(percentile(before, 0.5) + usual.serviceMs);
  expect(next).toMatchObject({ most: 8, alarms: [], stolen: [] });
  expect(next.served.some(({ isIdle }) => isIdle)).toBe(true);
});

test('idle requests alone use all slots but the reserve of one gateway, and of several', async () => {
  const idleWork = async (gateways: number): Promise<number> => {
    const at = Array.from({ length: gateways }, (_, gateway) => ({ gateway, requests: 30 }));
    const life = await playCluster({ ...usual, gateways, loads: [{ account: 'batch', isIdle: true, at }] });
    expect(life).toMatchObject({ alarms: [], stolen: [] });
    return (workOf(life.served, settledMs).get('batch') ?? 0) / (usual.durationMs - settledMs);
  };
  // A tenth stays free. With three gateways, the arbiter keeps one slot free for each and one for all.
  expect(await idleWork(1)).toBeGreaterThan(0.97 * 18);
  expect(await idleWork(3)).toBeGreaterThan(0.95 * 16);
});

test('idle requests of one gateway give way to interactive requests of the others', async () => {
  const plan = { ...usual, loads: [{ account: 'batch', isIdle: true, at: [{ gateway: 0, requests: 60 }] }] };
  const bursts = [1, 2].map((gateway) => ({
    account: `burst ${gateway}`,
    fromMs: 20_000,
    at: [{ gateway, requests: 12 }],
  }));
  const life = await playCluster({ ...plan, loads: [...plan.loads, ...bursts] });
  expect(life).toMatchObject({ most: usual.limit, alarms: [], stolen: [] });
  const first = life.served.filter(({ isIdle, atMs, waitMs }) => !isIdle && atMs - waitMs < 24_000);
  // One answer, and a report of each gateway.
  expect(Math.max(...first.map(({ waitMs }) => waitMs))).toBeLessThan(longestMs + 2500);
  const work = workOf(life.served, 30_000);
  const people = (work.get('burst 1') ?? 0) + (work.get('burst 2') ?? 0);
  expect(people / (usual.durationMs - 30_000)).toBeGreaterThan(0.9 * (usual.limit - 1));
  expect(work.get('batch') ?? 0).toBeLessThan(0.03 * people);
});

test('accounts take turns among idle requests by weight, wherever their requests are', async () => {
  const life = await playCluster({
    ...usual,
    loads: [
      { account: 'at one', isIdle: true, at: [{ gateway: 0, requests: 60 }] },
      { account: 'at all', isIdle: true, at: [0, 1, 2].map((gateway) => ({ gateway, requests: 20 })) },
      { account: 'double', weight: 2, isIdle: true, at: [{ gateway: 2, requests: 40 }] },
      { account: 'person', pauseMs: 500, at: [{ gateway: 1, requests: 3 }] },
    ],
  });
  const work = workOf(life.served, settledMs);
  const of = (account: string): number => work.get(account) ?? 0;
  expect(jainIndex([of('at one'), of('at all'), of('double') / 2])).toBeGreaterThan(0.98);
  expect(life).toMatchObject({ alarms: [], stolen: [] });
});

test('near its deadline, a batch on a full upstream uses more of the share of its account, and no more than that', async () => {
  const windowMs = 120_000;
  const plan = { ...usual, gateways: 1, limit: 8, durationMs: windowMs };
  const people = ['ann', 'ben'].map((account) => ({ account, at: [{ gateway: 0, requests: 20 }] }));
  const batch = { account: 'batch', isIdle: true, windowMs, at: [{ gateway: 0, requests: 4 }] };
  const life = await playCluster({ ...plan, loads: [...people, batch] });
  const slots = (fromMs: number, toMs: number): number =>
    (workOf(life.served, fromMs, toMs).get('batch') ?? 0) / (toMs - fromMs);
  expect(slots(0, 58_000)).toBe(0);
  const [third, last] = [slots(62_000, 90_000), slots(92_000, windowMs)];
  expect(third).toBeGreaterThan(0.8);
  expect(last).toBeGreaterThan(third + 0.5);
  expect(last).toBeLessThan((8 / 3) * 1.05);
  expect(life).toMatchObject({ alarms: [], stolen: [] });
});

test.each([1, 2, 3, 4, 5, 6])(
  'in world %i, faults make idle requests neither break a rule nor take a slot',
  async (seed) => {
    const plan = faultyPlan(seed);
    const at = Array.from({ length: plan.gateways }, (_, gateway) => ({ gateway, requests: 5 }));
    const life = await playCluster({ ...plan, loads: [...plan.loads, { account: 'batch', isIdle: true, at }] });
    expect(life.most).toBeLessThanOrEqual(plan.limit);
    expect(life.alarms).toEqual([]);
  },
);
