import type { UpstreamSpec } from '../config/upstream.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Lane } from './router.ts';
import { slots } from './slots.ts';

/** The upstreams in use. A change of the configuration replaces those that changed; their running answers go on. */
export interface Fleet {
  apply(specs: readonly UpstreamSpec[]): void;
  readonly lane: (name: string) => Lane | undefined;
  /** Answers running at all upstreams, replaced ones included. */
  readonly running: number;
  close(): void;
}

interface Ship {
  readonly spec: string;
  readonly lane: Lane;
}

export function fleet(open: (spec: UpstreamSpec) => Upstream): Fleet {
  let ships = new Map<string, Ship>();
  const leaving = new Set<Ship>();

  function shipFor({ maxConcurrency, ...rest }: UpstreamSpec): Ship {
    const spec = JSON.stringify(rest);
    const current = ships.get(rest.name);
    if (current?.spec === spec) {
      current.lane.slots.resize(maxConcurrency);
      return current;
    }
    return { spec, lane: { upstream: open({ maxConcurrency, ...rest }), slots: slots(maxConcurrency) } };
  }

  function retire(ship: Ship): void {
    ship.lane.upstream.close();
    leaving.add(ship);
    for (const old of leaving) if (old.lane.slots.running === 0) leaving.delete(old);
  }

  return {
    apply(specs) {
      const next = new Map(specs.map((spec) => [spec.name, shipFor(spec)]));
      for (const [name, ship] of ships) if (next.get(name) !== ship) retire(ship);
      ships = next;
    },
    lane: (name) => ships.get(name)?.lane,
    get running() {
      return [...ships.values(), ...leaving].reduce((sum, { lane }) => sum + lane.slots.running, 0);
    },
    close() {
      for (const { lane } of ships.values()) lane.upstream.close();
    },
  };
}
