import type { UpstreamSpec } from '../config/upstream.ts';
import type { Clock } from '../core/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { Channel, type HealthChange } from './channel.ts';
import type { Lane } from './options.ts';
import { type RetryBudget, retryBudget } from './retry-budget.ts';
import { slotQueue } from './slot-queue.ts';
import { type UpstreamReport, upstreamReport } from './upstream-report.ts';

/** The upstreams in use. A change of the configuration replaces those that changed; their running answers go on. */
export interface Fleet {
  apply(specs: readonly UpstreamSpec[]): void;
  readonly lane: (name: string) => Lane | undefined;
  /** Answers running at all upstreams, replaced ones included. */
  readonly running: number;
  /** For tries beyond the first, of all requests together. */
  readonly budget: RetryBudget;
  report(): readonly UpstreamReport[];
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
}

export function fleet({ clock, open, healthChanged }: FleetParts): Fleet {
  let ships = new Map<string, Ship>();
  const leaving = new Set<Ship>();

  function shipFor({ maxConcurrency, ...rest }: UpstreamSpec): Ship {
    const spec = JSON.stringify(rest);
    const current = ships.get(rest.name);
    if (current?.spec === spec) {
      current.lane.queue.resize(maxConcurrency);
      return current;
    }
    const upstream = open({ maxConcurrency, ...rest });
    return { spec, lane: { upstream, queue: slotQueue(maxConcurrency, clock), channels: channelsOf(upstream) } };
  }

  function channelsOf({ name, credentials }: Upstream): readonly Channel[] {
    const numbers = Array.from({ length: credentials }, (_, credential) => credential);
    return numbers.map((credential) => new Channel({ upstream: name, credential }, clock, healthChanged));
  }

  function retire(ship: Ship): void {
    ship.lane.upstream.close();
    leaving.add(ship);
    for (const old of leaving) if (old.lane.queue.running === 0) leaving.delete(old);
  }

  function sum(count: (lane: Lane) => number): number {
    return [...ships.values(), ...leaving].reduce((total, { lane }) => total + count(lane), 0);
  }

  const running = (): number => sum(({ queue }) => queue.running);
  const budget = retryBudget(running);

  return {
    apply(specs) {
      const next = new Map(specs.map((spec) => [spec.name, shipFor(spec)]));
      for (const [name, ship] of ships) if (next.get(name) !== ship) retire(ship);
      ships = next;
    },
    lane: (name) => ships.get(name)?.lane,
    get running() {
      return running();
    },
    budget,
    taken: () => ({
      waiting: sum(({ queue }) => queue.waiting),
      calls: sum(({ channels }) => channels.reduce((total, channel) => total + channel.running, 0)),
      retries: budget.inUse,
    }),
    report: () => [...ships.values()].map(({ lane }) => upstreamReport(lane, clock)),
    close() {
      for (const { lane } of ships.values()) lane.upstream.close();
    },
  };
}
