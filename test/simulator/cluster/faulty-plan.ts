import { seededRandom } from '../../crash/random.ts';
import type { AccountLoad, Cluster, ClusterPlan } from './cluster.ts';

/** By then all gateways know each other. A gateway that joins just before the arbiter fails is unknown to its peers. */
const faultsFromMs = 5000;
/** All faults end long before, so that a test can check which gateways have recovered. */
const durationMs = 190_000;

/** A service with faults that gateways must survive, drawn from a seed. */
export function faultyPlan(seed: number): ClusterPlan {
  // Another label would draw other plans from the same seeds.
  const random = seededRandom(`troubles ${seed}`);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const gateways = 2 + upTo(4);
  const at = (): AccountLoad['at'] =>
    Array.from({ length: gateways }, (_, gateway) => ({ gateway, requests: upTo(3) * upTo(4) })).filter(
      ({ requests }) => requests > 0,
    );
  const faults = Array.from({ length: 1 + upTo(5) }, () => {
    const [kind, victim, forMs] = [upTo(4), upTo(gateways - 1), 1000 + upTo(50_000)];
    return { atMs: faultsFromMs + upTo(60_000), work: faultOf(kind, victim, forMs) };
  });
  return {
    seed,
    gateways,
    limit: 1 + upTo(24),
    mood: { latencyMs: upTo(1) * 5 + upTo(1) * 400, lossShare: upTo(1) * 0.03 },
    serviceMs: 200 + upTo(2000),
    durationMs,
    isOneMachine: upTo(1) === 1,
    loads: Array.from({ length: 1 + upTo(4) }, (_, index) => ({
      account: `account ${index}`,
      weight: 1 + upTo(3),
      pauseMs: upTo(1) * upTo(2000),
      at: at(),
    })),
    faults,
  };
}

function faultOf(kind: number, victim: number, forMs: number): (cluster: Cluster) => void {
  return ({ world, network, members }) => {
    const member = members[victim]!;
    if (kind === 0) return member.die();
    if (kind === 1 || kind === 2) return member.machine.freeze(kind === 1 ? forMs : forMs / 5);
    const until = (end: () => void): void => void world.after(forMs, end);
    if (kind === 3) {
      member.isDisconnected = true;
      return until(() => (member.isDisconnected = false));
    }
    network.isArbiterDown = true;
    until(() => (network.isArbiterDown = false));
  };
}
