import { leaseMs } from '../../../src/platform/cluster/lease-book.ts';
import { between, seededRandom } from '../../crash/random.ts';
import type { Verdict } from '../simulate.ts';
import { type ClusterLife, type ClusterPlan, playCluster } from './cluster.ts';
import type { SimulatedMember } from './member.ts';

const stopsAtMs = 20_000;
const durationMs = 150_000;
/** By then every gateway has its share of the slots. */
const settledMs = 10_000;
/** Tolerance for waits: slots are indivisible and change hands, and answers take 0.5 to 1.5 times as long as usual. */
const waitTolerance = 2;

/**
 * Accounts of equal weight keep every gateway busy, and one gateway freezes for a while. A request waits only for the
 * requests before it, wherever its account is served meanwhile.
 */
export async function stopped(seed: number): Promise<Verdict> {
  const plan = planOf(seed);
  const life = await playCluster(plan);
  const alarms = life.alarms.map((error) => `an assertion failed: ${String(error)}`);
  const broken = [...alarms, ...life.members.flatMap((member) => checkWaits(member, life, plan))];
  return { broken, steps: life.steps, trace: JSON.stringify([life.served, broken]) };
}

function planOf(seed: number): ClusterPlan {
  const random = seededRandom(`stopped ${seed}`);
  const gateways = between(random, 2, 4);
  const victim = between(random, 0, gateways - 1);
  const forMs = between(random, 1, 50) * 1000;
  return {
    seed,
    gateways,
    limit: between(random, gateways, 4 * gateways),
    mood: { latencyMs: between(random, 1, 50), lossShare: 0 },
    serviceMs: between(random, 3, 15) * 100,
    durationMs,
    loads: Array.from({ length: between(random, 2, 5) }, (_, index) => ({
      account: `account ${index}`,
      at: Array.from({ length: gateways }, (_each, gateway) => ({ gateway, requests: between(random, 3, 5) })),
    })),
    faults: [{ atMs: stopsAtMs, work: ({ members }) => members[victim]!.machine.freeze(forMs) }],
  };
}

/** Requests that waited too long at one gateway, except those that came before the gateway thawed. */
function checkWaits({ machine, waiting }: SimulatedMember, life: ClusterLife, plan: ClusterPlan): readonly string[] {
  const fromMs = Math.max(settledMs, machine.frozenMs.until);
  const mostMs = waitMostMs(plan);
  const served = life.served.filter(({ gateway }) => gateway === machine.name);
  const waits = [
    ...served.map(({ account, beganMs, waitMs }) => ({ account, sinceMs: beganMs - waitMs, waitMs })),
    ...[...waiting].map(({ account, sinceMs }) => ({ account, sinceMs, waitMs: durationMs - sinceMs })),
  ];
  return waits
    .filter(({ sinceMs, waitMs }) => sinceMs >= fromMs && waitMs > mostMs)
    .map(({ account, sinceMs, waitMs }) => {
      const about = `${Math.round(sinceMs)} ms: a request of ${account} at ${machine.name}`;
      return `${about} waited ${Math.round(waitMs)} ms, more than ${Math.round(mostMs)} ms`;
    });
}

/** The time of all earlier requests on the slots of the other gateways, and of the frozen gateway's last lease. */
function waitMostMs({ gateways, limit, loads, serviceMs }: ClusterPlan): number {
  const requests = loads.flatMap(({ at }) => at).reduce((sum, each) => sum + each.requests, 0);
  const slots = limit - Math.ceil(limit / gateways);
  return leaseMs + waitTolerance * (requests / slots) * serviceMs;
}
