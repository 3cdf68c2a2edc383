import type { UpstreamSpec } from '../config/upstream.ts';
import type { Clock } from '../core/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { Channel, type HealthChange } from './channel.ts';
import { type RoomBounds, WaitingRoom } from './fair-queue/waiting-room.ts';
import { type LaneQueue, laneQueue } from './lane-queue.ts';
import type { LaneSnapshot } from './lane-snapshot.ts';
import type { Lane } from './options.ts';
import { type RetryBudget, retryBudget } from './retry-budget.ts';
import { type UpstreamReport, upstreamReport } from './upstream-report.ts';

/** The upstreams in use. A change of the configuration replaces those that changed; their running answers go on. */
export interface Fleet {
  apply(specs: readonly UpstreamSpec[]): void;
  readonly lane: (name: string) => Lane | undefined;
  /** Answers running at all upstreams, replaced ones included. */
  readonly running: number;
  /** Memory that waiting requests hold. */
  readonly waitingBytes: number;
  /** For tries beyond the first, of all requests together. */
  readonly budget: RetryBudget;
  report(): readonly UpstreamReport[];
  /** Every queue at this moment, by the name of its upstream. */
  queues(): readonly (LaneSnapshot & { readonly name: string })[];
  /** Places waited for, calls under way, tries beyond the first. */
  taken(): { readonly waiting: number; readonly calls: number; readonly retries: number };
  close(): void;
}

interface Ship {
  readonly spec: string;
  readonly lane: Lane;
}

export interface FleetParts {
  readonly clock: Clock;
  readonly open: (spec: UpstreamSpec) => Upstream;
  /** Hears when a credential is taken out or comes back. */
  readonly healthChanged: (change: HealthChange) => void;
  /** The bounds on what may wait, at all upstreams together. */
  readonly bounds: () => RoomBounds;
}

export function fleet({ clock, open, healthChanged, bounds }: FleetParts): Fleet {
  const room = new WaitingRoom(bounds);
  let ships = new Map<string, Ship>();
  /** Lanes whose upstream was replaced or removed, while something of them still runs. */
  const leaving = new Set<Lane>();

  function shipFor({ maxConcurrency, ...rest }: UpstreamSpec): Ship {
    const spec = JSON.stringify(rest);
    const current = ships.get(rest.name);
    current?.lane.queue.resize(maxConcurrency);
    if (current?.spec === spec) return current;
    const upstream = open({ maxConcurrency, ...rest });
    // The places outlive a change: answers that still run at the old connection take up room at the provider.
    const queue = current?.lane.queue ?? laneQueue({ clock, room, max: maxConcurrency });
    return { spec, lane: { upstream, queue, channels: channelsOf(upstream) } };
  }

  function channelsOf({ name, credentials }: Upstream): readonly Channel[] {
    const numbers = Array.from({ length: credentials }, (_, credential) => credential);
    return numbers.map((credential) => new Channel({ upstream: name, credential }, clock, healthChanged));
  }

  function retire({ lane }: Ship): void {
    lane.upstream.close();
    leaving.add(lane);
    for (const old of leaving) if (isQuiet(old)) leaving.delete(old);
  }

  function isQuiet({ queue, channels }: Lane): boolean {
    return queue.running + queue.waiting === 0 && channels.every((channel) => channel.running === 0);
  }

  function lanes(): readonly Lane[] {
    return [...[...ships.values()].map(({ lane }) => lane), ...leaving];
  }

  /** A queue that outlived a change belongs to two lanes, and counts once. */
  function inQueues(count: (queue: LaneQueue) => number): number {
    return [...new Set(lanes().map(({ queue }) => queue))].reduce((total, queue) => total + count(queue), 0);
  }

  const running = (): number => inQueues((queue) => queue.running);
  const budget = retryBudget(running);

  return {
    apply(specs) {
      const next = new Map(specs.map((spec) => [spec.name, shipFor(spec)]));
      for (const [name, ship] of ships) if (next.get(name) !== ship) retire(ship);
      ships = next;
    },
    lane: (name) => ships.get(name)?.lane,
    get waitingBytes() {
      return room.bytes;
    },
    get running() {
      return running();
    },
    budget,
    taken: () => ({
      waiting: inQueues((queue) => queue.waiting),
      calls: lanes()
        .flatMap(({ channels }) => channels)
        .reduce((total, channel) => total + channel.running, 0),
      retries: budget.inUse,
    }),
    report: () => [...ships.values()].map(({ lane }) => upstreamReport(lane, clock)),
    queues: () => [...ships].map(([name, { lane }]) => ({ name, ...lane.queue.snapshot() })),
    close() {
      for (const { lane } of ships.values()) lane.upstream.close();
    },
  };
}
