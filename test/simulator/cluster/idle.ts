import { between, seededRandom } from '../../crash/random.ts';
import type { Verdict } from '../simulate.ts';
import { type AccountLoad, type ClusterLife, type ClusterPlan, playCluster, workOf } from './cluster.ts';

const durationMs = 90_000;
/** By then every gateway has its share of the slots. */
const settledMs = 10_000;
/** A report of each gateway, and the reply. */
const reportsMs = 2500;

/**
 * A batch at one gateway next to interactive requests at all of them. In some worlds there are idle slots: the batch
 * leaves a reserve, and delays no request by more than one answer. In the others there is none: the batch gets its share of
 * the slots near its deadline, and nothing before.
 */
export async function idle(seed: number): Promise<Verdict> {
  const random = seededRandom(`idle ${seed}`);
  const gateways = between(random, 1, 3);
  const limit = between(random, 4 * gateways, 24);
  const isFull = seed % 2 === 1;
  const people = Array.from({ length: between(random, 1, 3) }, (_, index) => ({
    account: `person ${index}`,
    pauseMs: isFull ? 0 : between(random, 500, 2000),
    at: Array.from({ length: gateways }, (_each, gateway) => ({ gateway, requests: isFull ? 2 * limit : 1 })),
  }));
  const batch: AccountLoad = {
    account: 'batch',
    isIdle: true,
    at: [{ gateway: 0, requests: 2 * limit }],
    ...(isFull && { windowMs: durationMs }),
  };
  const plan: ClusterPlan = {
    seed,
    gateways,
    limit,
    mood: { latencyMs: between(random, 1, 50), lossShare: 0 },
    serviceMs: between(random, 3, 15) * 100,
    durationMs,
    loads: [...people, batch],
  };
  const life = await playCluster(plan);
  const broken = [
    ...life.alarms.map((error) => `an assertion failed: ${String(error)}`),
    ...life.stolen.map((each) => `an idle request took a slot that interactive ones waited for: ${each}`),
    ...(life.most > limit ? [`${life.most} calls at once, the limit is ${limit}`] : []),
    ...(isFull ? checkDeadline(life, plan) : [...checkReserve(life, plan), ...checkWaits(life, plan)]),
  ];
  return { broken, steps: life.steps, trace: JSON.stringify([life.served, broken]) };
}

function checkReserve({ served }: ClusterLife, { limit }: ClusterPlan): readonly string[] {
  const most = limit - Math.ceil(limit / 10);
  const lines = served.filter(({ isIdle }) => isIdle);
  const begins = lines.map(({ beganMs }) => lines.filter((each) => each.beganMs <= beganMs && beganMs < each.atMs));
  const running = Math.max(0, ...begins.map(({ length }) => length));
  return running > most ? [`${running} idle requests ran at once, more than ${most} of ${limit} slots`] : [];
}

function checkWaits({ served }: ClusterLife, { serviceMs }: ClusterPlan): readonly string[] {
  const mostMs = 1.5 * serviceMs + reportsMs;
  return served
    .filter(({ isIdle, atMs, waitMs }) => !isIdle && atMs > settledMs && waitMs > mostMs)
    .map(({ account, waitMs }) => `a request of ${account} waited ${Math.round(waitMs)} ms next to a batch`);
}

function checkDeadline({ served }: ClusterLife, { limit, loads }: ClusterPlan): readonly string[] {
  const slots = (fromMs: number, toMs: number): number =>
    (workOf(served, fromMs, toMs).get('batch') ?? 0) / (toMs - fromMs);
  const share = limit / loads.length;
  const last = slots(0.8 * durationMs, durationMs);
  const early = slots(settledMs, durationMs / 2);
  return [
    ...(early > 0 ? [`a batch used ${early.toFixed(1)} slots of a full upstream long before its deadline`] : []),
    ...(last < share / 2
      ? [`near its deadline a batch used ${last.toFixed(1)} slots, its share is ${share.toFixed(1)}`]
      : []),
  ];
}
