import type { UpstreamSpec } from '../config/upstream.ts';
import type { Clock } from '../core/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { type RoomBounds, WaitingRoom } from './fair-queue/waiting-room.ts';
import { type LaneQueue, laneQueue } from './lane-queue.ts';
import type { Lane } from './router.ts';

/** The upstreams in use. A change of the configuration replaces those that changed; their running answers go on. */
export interface Fleet {
  apply(specs: readonly UpstreamSpec[]): void;
  readonly lane: (name: string) => Lane | undefined;
  /** Answers running at all upstreams, replaced ones included. */
  readonly running: number;
  /** Memory that waiting requests hold. */
  readonly waitingBytes: number;
  close(): void;
}

interface Ship {
  readonly spec: string;
  readonly lane: Lane;
}

export interface FleetOptions {
  readonly clock: Clock;
  /** The bounds on what may wait, at all upstreams together. */
  readonly bounds: () => RoomBounds;
}

export function fleet(open: (spec: UpstreamSpec) => Upstream, { clock, bounds }: FleetOptions): Fleet {
  const room = new WaitingRoom(bounds);
  let ships = new Map<string, Ship>();
  const leaving = new Set<LaneQueue>();

  function shipFor({ maxConcurrency, ...rest }: UpstreamSpec): Ship {
    const spec = JSON.stringify(rest);
    const current = ships.get(rest.name);
    current?.lane.queue.resize(maxConcurrency);
    if (current?.spec === spec) return current;
    // The places outlive a change: answers that still run at the old connection take up room at the provider.
    const queue = current?.lane.queue ?? laneQueue({ clock, room, max: maxConcurrency });
    return { spec, lane: { upstream: open({ maxConcurrency, ...rest }), queue } };
  }

  function retire({ lane }: Ship): void {
    lane.upstream.close();
    leaving.add(lane.queue);
    for (const queue of leaving) if (queue.running + queue.waiting === 0) leaving.delete(queue);
  }

  return {
    apply(specs) {
      const next = new Map(specs.map((spec) => [spec.name, shipFor(spec)]));
      for (const [name, ship] of ships) if (next.get(name) !== ship) retire(ship);
      ships = next;
      for (const { lane } of ships.values()) leaving.delete(lane.queue);
    },
    lane: (name) => ships.get(name)?.lane,
    get waitingBytes() {
      return room.bytes;
    },
    get running() {
      const queues = [...[...ships.values()].map(({ lane }) => lane.queue), ...leaving];
      return queues.reduce((sum, queue) => sum + queue.running, 0);
    },
    close() {
      for (const { lane } of ships.values()) lane.upstream.close();
    },
  };
}
