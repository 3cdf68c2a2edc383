import type { HostId } from '../../../src/platform/cluster/arbiter.ts';
import { memoryArbiter } from '../../../src/platform/cluster/memory-arbiter.ts';
import { Machine } from '../machine.ts';
import { World } from '../world.ts';
import { Provider, type Served, SimulatedMember } from './member.ts';
import { Network, type NetworkMood } from './network.ts';

/** An account with a fixed number of requests in flight at some gateways. Each is followed by the next. */
export interface AccountLoad {
  readonly account: string;
  readonly weight?: number;
  /** The number of requests at each gateway. */
  readonly at: readonly { readonly gateway: number; readonly requests: number }[];
  /** When the first requests come. */
  readonly fromMs?: number;
  /** The pause between an answer and the next request. */
  readonly pauseMs?: number;
  /** Its requests are of the idle class. */
  readonly isIdle?: boolean;
  /** Its requests are the seats of a batch that ends at this time. */
  readonly windowMs?: number;
}

export interface ClusterPlan {
  readonly seed: number | string;
  readonly gateways: number;
  readonly limit: number;
  readonly mood: NetworkMood;
  /** The usual duration of an answer; each takes 0.5 to 1.5 times as long. */
  readonly serviceMs: number;
  readonly loads: readonly AccountLoad[];
  readonly durationMs: number;
  /** True if the gateways can see that a peer is gone. */
  readonly isOneMachine?: boolean;
  /** The faults, and when they happen. */
  readonly faults?: readonly { readonly atMs: number; readonly work: (cluster: Cluster) => void }[];
}

export interface Cluster {
  readonly world: World;
  readonly network: Network;
  readonly members: readonly SimulatedMember[];
}

export interface ClusterLife {
  /** The highest number of concurrent calls at the provider. */
  readonly most: number;
  readonly served: readonly Served[];
  readonly alarms: readonly unknown[];
  /** Idle requests that got a slot while an interactive request of any gateway had waited for it long enough. */
  readonly stolen: readonly string[];
  readonly reports: number;
  readonly steps: number;
  /** The gateways at the end, with the requests that still wait. */
  readonly members: readonly SimulatedMember[];
}

/** How long idle requests of one gateway may still get slots after a request of another gateway began to wait. */
const reactionMs = 1500;

/** Plays many gateways in front of one provider in virtual time, with the real arbiter, leases and queues. */
export async function playCluster(plan: ClusterPlan): Promise<ClusterLife> {
  const world = new World(plan.seed);
  // A dead process has no connection. One that is frozen or disconnected still seems to have one.
  const isAlive = (process: string): boolean =>
    members.some(({ machine }) => machine.name === process && machine.state !== 'dead');
  const arbiter = memoryArbiter(() => world.nowMs, isAlive);
  let reports = 0;
  const counted = {
    ...arbiter,
    report: (report: Parameters<typeof arbiter.report>[0]) => ((reports += 1), arbiter.report(report)),
  };
  const network = new Network(world, counted, plan.mood);
  const provider = new Provider();
  const served: Served[] = [];
  const alarms: unknown[] = [];
  const stolen: string[] = [];
  const dispatched = (isIdle: boolean): void => {
    const waits = members.flatMap(({ waiting }) => [...waiting]).filter((each) => !each.isIdle);
    const late = waits.filter(({ sinceMs }) => world.nowMs - sinceMs > reactionMs);
    if (isIdle && late.length > plan.limit - provider.inFlight) stolen.push(`${late.length} at ${world.nowMs}`);
  };
  const members: SimulatedMember[] = [];
  const isDead = ({ pid }: HostId): boolean => plan.isOneMachine === true && members[pid]?.machine.state === 'dead';
  for (let index = 0; index < plan.gateways; index += 1) {
    const machine = new Machine(`gateway ${index}`, world);
    const parts = {
      world,
      machine,
      arbiter: network.from(machine, () => members[index]?.isDisconnected === true),
      provider,
      limit: plan.limit,
      isDead,
      dispatched,
      served: (each: Served) => void served.push(each),
      alarm: (error: unknown) => void alarms.push(error),
    };
    const member = new SimulatedMember(parts, index);
    members.push(member);
    world.after(world.random() * 1000, () => void member.keeper.start());
  }
  const cluster = { world, network, members };
  for (const { atMs, work } of plan.faults ?? []) world.after(atMs, () => work(cluster));
  for (const load of plan.loads) begin(load, plan, cluster);
  await world.play(plan.durationMs);
  return { most: provider.most, served, alarms, stolen, reports, steps: world.steps, members };
}

function begin(
  { account, weight = 1, at, fromMs = 0, pauseMs = 0, isIdle = false, windowMs }: AccountLoad,
  plan: ClusterPlan,
  { world, members }: Cluster,
): void {
  for (const { gateway, requests } of at) {
    const next = (index: number): void => {
      const cost = plan.serviceMs * (0.5 + world.random());
      const seat = windowMs === undefined ? undefined : { index, of: requests, windowMs };
      const over = (): void => void world.after(pauseMs, () => next(index));
      members[gateway]!.send(account, { weight, cost, isIdle, seat, over });
    };
    for (let count = 0; count < requests; count += 1) world.after(fromMs + world.random() * 100, () => next(count));
  }
}

/** The work that the provider did for each account from `fromMs` to `toMs`, in milliseconds. */
export function workOf(
  served: readonly Served[],
  fromMs: number,
  toMs = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { account, atMs, cost } of served) {
    if (atMs >= fromMs && atMs < toMs) sums.set(account, (sums.get(account) ?? 0) + cost);
  }
  return sums;
}

export function percentile(values: readonly number[], share: number): number {
  const inOrder = values.toSorted((one, other) => one - other);
  return inOrder[Math.min(inOrder.length - 1, Math.floor(share * inOrder.length))] ?? 0;
}
