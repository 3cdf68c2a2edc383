import type { UpstreamSpec } from '../config/upstream.ts';
import type { Clock } from '../core/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { Credential, type HealthChange } from './credential.ts';
import { type RoomBounds, WaitingRoom } from './fair-queue/waiting-room.ts';
import { type UpstreamQueue, upstreamQueue } from './upstream-queue.ts';
import type { QueueSnapshot } from './queue-snapshot.ts';
import type { LiveUpstream } from './candidates.ts';
import { type RetryBudget, retryBudget } from './retry-budget.ts';
import { type UpstreamReport, upstreamReport } from './upstream-report.ts';

/** The upstreams in use. A change of the configuration replaces those that changed; their running answers go on. */
export interface Upstreams {
  apply(specs: readonly UpstreamSpec[]): void;
  readonly named: (name: string) => LiveUpstream | undefined;
  /** Answers running at all upstreams, replaced ones included. */
  readonly running: number;
  /** Memory that waiting requests hold. */
  readonly waitingBytes: number;
  /** For tries beyond the first, of all requests together. */
  readonly budget: RetryBudget;
  report(): readonly UpstreamReport[];
  /** Every queue at this moment, by the name of its upstream. */
  queues(): readonly (QueueSnapshot & { readonly name: string })[];
  /** Places waited for, calls under way, tries beyond the first. */
  taken(): { readonly waiting: number; readonly calls: number; readonly retries: number };
  close(): void;
}

/** An upstream with the settings it was opened with, to see what has changed. */
interface Configured {
  readonly spec: string;
  readonly upstream: LiveUpstream;
}

export interface UpstreamsParts {
  readonly clock: Clock;
  readonly open: (spec: UpstreamSpec) => Upstream;
  /** Hears when a credential is taken out or comes back. */
  readonly healthChanged: (change: HealthChange) => void;
  /** The bounds on what may wait, at all upstreams together. */
  readonly bounds: () => RoomBounds;
}

export function upstreamsInUse({ clock, open, healthChanged, bounds }: UpstreamsParts): Upstreams {
  const room = new WaitingRoom(bounds);
  let current = new Map<string, Configured>();
  /** Those that were replaced or removed, while something of them still runs. */
  const leaving = new Set<LiveUpstream>();

  function configured({ maxConcurrency, ...rest }: UpstreamSpec): Configured {
    const spec = JSON.stringify(rest);
    const before = current.get(rest.name);
    before?.upstream.queue.resize(maxConcurrency);
    if (before?.spec === spec) return before;
    const adapter = open({ maxConcurrency, ...rest });
    // The places outlive a change: answers that still run at the old connection take up room at the provider.
    const queue = before?.upstream.queue ?? upstreamQueue({ clock, room, max: maxConcurrency });
    return { spec, upstream: { adapter, queue, credentials: credentialsOf(adapter) } };
  }

  function credentialsOf({ name, credentials }: Upstream): readonly Credential[] {
    const indexes = Array.from({ length: credentials }, (_, index) => index);
    return indexes.map((index) => new Credential({ upstream: name, index }, clock, healthChanged));
  }

  function retire({ upstream }: Configured): void {
    upstream.adapter.close();
    leaving.add(upstream);
    for (const old of leaving) if (isQuiet(old)) leaving.delete(old);
  }

  function isQuiet({ queue, credentials }: LiveUpstream): boolean {
    return queue.running + queue.waiting === 0 && credentials.every((credential) => credential.running === 0);
  }

  function all(): readonly LiveUpstream[] {
    return [...[...current.values()].map(({ upstream }) => upstream), ...leaving];
  }

  /** A queue that outlived a change belongs to two upstreams, and counts once. */
  function inQueues(count: (queue: UpstreamQueue) => number): number {
    return [...new Set(all().map(({ queue }) => queue))].reduce((total, queue) => total + count(queue), 0);
  }

  const running = (): number => inQueues((queue) => queue.running);
  const budget = retryBudget(running);

  return {
    apply(specs) {
      const next = new Map(specs.map((spec) => [spec.name, configured(spec)]));
      for (const [name, before] of current) if (next.get(name) !== before) retire(before);
      current = next;
    },
    named: (name) => current.get(name)?.upstream,
    get waitingBytes() {
      return room.bytes;
    },
    get running() {
      return running();
    },
    budget,
    taken: () => ({
      waiting: inQueues((queue) => queue.waiting),
      calls: all()
        .flatMap(({ credentials }) => credentials)
        .reduce((total, credential) => total + credential.running, 0),
      retries: budget.inUse,
    }),
    report: () => [...current.values()].map(({ upstream }) => upstreamReport(upstream, clock)),
    queues: () => [...current].map(([name, { upstream }]) => ({ name, ...upstream.queue.snapshot() })),
    close() {
      for (const { upstream } of current.values()) upstream.adapter.close();
    },
  };
}
