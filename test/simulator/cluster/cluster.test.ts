import { expect, test } from 'vitest';
import { jainIndex } from '../../../src/serving/routing/queue/jain-index.ts';
import { type ClusterPlan, percentile, playCluster, workOf } from './cluster.ts';
import { faultyPlan } from './faulty-plan.ts';

const usual = {
  seed: 7,
  gateways: 3,
  limit: 20,
  mood: { latencyMs: 5, lossShare: 0 },
  serviceMs: 1000,
  durationMs: 90_000,
} satisfies Partial<ClusterPlan>;
/** By then every gateway has its share of the slots. */
const settledMs = 10_000;
const everywhere = (requests: number, gateways = 3) =>
  Array.from({ length: gateways }, (_, gateway) => ({ gateway, requests }));

test('unevenly distributed accounts get equal shares, and the provider is used almost fully', async () => {
  const life = await playCluster({
    ...usual,
    loads: [
      { account: 'everywhere', at: everywhere(20) },
      { account: 'at one', at: [{ gateway: 0, requests: 30 }] },
      {
        account: 'at two',
        at: [
          { gateway: 1, requests: 10 },
          { gateway: 2, requests: 40 },
        ],
      },
      { account: 'at the last', at: [{ gateway: 2, requests: 20 }] },
    ],
  });
  const work = [...workOf(life.served, settledMs).values()];
  expect(jainIndex(work)).toBeGreaterThan(0.99);
  const done = work.reduce((one, other) => one + other) / (usual.durationMs - settledMs);
  expect(done).toBeGreaterThan(0.9 * usual.limit);
  expect(life).toMatchObject({ most: usual.limit, alarms: [] });
});

test('accounts of equal weight get equal shares of short answers, at one gateway each or at all gateways', async () => {
  const accounts = [0, 1, 2];
  const own = accounts.map((gateway) => ({ account: `${gateway}`, at: [{ gateway, requests: 16 }] }));
  const all = accounts.map((index) => ({ account: `${index}`, at: everywhere(6) }));
  for (const loads of [own, all]) {
    const { served } = await playCluster({ ...usual, limit: 12, serviceMs: 300, durationMs: 40_000, loads });
    expect(jainIndex([...workOf(served, settledMs).values()])).toBeGreaterThan(0.99);
  }
});

test('accounts of different weights get their shares within 5 % of a weight of 1, at any gateway', async () => {
  const { served } = await playCluster({
    ...usual,
    loads: [
      { account: '1', weight: 1, at: everywhere(20) },
      { account: '2', weight: 2, at: [{ gateway: 0, requests: 60 }] },
      { account: '4', weight: 4, at: everywhere(30) },
    ],
  });
  const work = workOf(served, settledMs);
  const all = [...work.values()].reduce((one, other) => one + other);
  for (const [account, done] of work) expect(Math.abs(done / all - Number(account) / 7)).toBeLessThan(0.05 / 7);
});

test('a light account waits less than an answer takes while another account uses all gateways', async () => {
  const { served } = await playCluster({
    ...usual,
    serviceMs: 2000,
    loads: [
      { account: 'hog', at: everywhere(50) },
      ...[0, 1, 2].map((gateway) => ({ account: `light ${gateway}`, pauseMs: 1500, at: [{ gateway, requests: 1 }] })),
    ],
  });
  const waits = served.filter(({ account, atMs }) => account !== 'hog' && atMs > settledMs).map(({ waitMs }) => waitMs);
  expect(waits.length).toBeGreaterThan(50);
  expect(percentile(waits, 0.99)).toBeLessThan(2000);
});

test('gateways share fewer slots than there are gateways', async () => {
  const { served, most } = await playCluster({
    ...usual,
    gateways: 10,
    limit: 4,
    loads: Array.from({ length: 10 }, (_, gateway) => ({ account: `${gateway}`, at: [{ gateway, requests: 5 }] })),
  });
  expect(most).toBe(4);
  expect(jainIndex([...workOf(served, settledMs).values()])).toBeGreaterThan(0.97);
});

test('a hundred gateways keep the limit and share fairly', async () => {
  const { served, most, alarms } = await playCluster({
    ...usual,
    gateways: 100,
    limit: 300,
    durationMs: 25_000,
    loads: [
      { account: 'hog', at: everywhere(10, 100) },
      ...Array.from({ length: 30 }, (_, gateway) => ({ account: `${gateway}`, at: [{ gateway, requests: 20 }] })),
    ],
  });
  expect({ most, alarms }).toEqual({ most: 300, alarms: [] });
  expect(jainIndex([...workOf(served, settledMs).values()])).toBeGreaterThan(0.97);
});

test('gateways keep the limit and recover after lost and late messages, disconnects, freezes and deaths', async () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const plan = faultyPlan(seed);
    const { most, alarms, served, members } = await playCluster(plan);
    const about = `seed ${seed}`;
    expect({ most: Math.max(most, plan.limit), alarms, about }).toEqual({ most: plan.limit, alarms: [], about });
    const alive = members.filter(({ machine }) => machine.state === 'running');
    expect(
      alive.map(({ keeper }) => keeper.state),
      about,
    ).toEqual(alive.map(() => 'leased'));
    const lately = workOf(served, plan.durationMs - 60_000);
    const living = plan.loads.filter(({ at }) => at.some(({ gateway }) => alive.includes(members[gateway]!)));
    for (const { account } of living) expect(lately.get(account), `${about} ${account}`).toBeGreaterThan(0);
  }
});
