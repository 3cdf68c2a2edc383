import { seededRandom } from '../../crash/random.ts';
import type { AccountLoad, Cluster, ClusterPlan } from './cluster.ts';

/** By then all gateways know each other. A gateway that joins just before the arbiter fails is unknown to its peers. */
const troublesFromMs = 5000;
/** All faults end long before, so that a test can check which gateways have recovered. */
const durationMs = 190_000;

/** A service with faults that gateways must survive, drawn from a seed. */
export function troubledPlan(seed: number): ClusterPlan {
  const random = seededRandom(`troubles ${seed}`);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const gateways = 2 + upTo(4);
  const at = (): AccountLoad['at'] =>
    Array.from({ length: gateways }, (_, gateway) => ({ gateway, requests: upTo(3) * upTo(4) })).filter(
      ({ requests }) => requests > 0,
    );
  const troubles = Array.from({ length: 1 + upTo(5) }, () => {
    const [kind, victim, forMs] = [upTo(4), upTo(gateways - 1), 1000 + upTo(50_000)];
    return { atMs: troublesFromMs + upTo(60_000), work: errorClassOf(kind, victim, forMs) };
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
    troubles,
  };
}

function errorClassOf(kind: number, victim: number, forMs: number): (cluster: Cluster) => void {
  return ({ world, network, members }) => {
    const member = members[victim]!;
    if (kind === 0) return member.die();
    if (kind === 1 || kind === 2) return member.machine.freeze(kind === 1 ? forMs : forMs / 5);
    const until = (end: () => void): void => void world.after(forMs, end);
    if (kind === 3) {
      member.isCutOff = true;
      return until(() => (member.isCutOff = false));
    }
    network.isArbiterAway = true;
    until(() => (network.isArbiterAway = false));
  };
}
