import type { LeaseKeeper } from '../cluster/lease-keeper.ts';
import type { UpstreamSpec } from '../config/schema/upstream.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { Credential, type HealthChange } from './health/credential.ts';
import {
  backForMs,
  type SharedCredentialState,
  decodeLimit,
  decodeSharedState,
  encodeLimit,
  encodeSharedState,
} from './health/shared-credential-state.ts';
import { type QueueBounds, QueueLimit } from './fair-queue/queue-limit.ts';
import { LimitShare } from './slots/limit-share.ts';
import { type UpstreamQueue, upstreamQueue } from './queue/upstream-queue.ts';
import type { QueueSnapshot } from './queue/queue-snapshot.ts';
import type { LiveUpstream } from './candidates/candidates.ts';
import { type RetryBudget, retryBudget } from './calls/retry-budget.ts';
import { effectiveLimit, type UpstreamReport, upstreamReport } from './upstream-report.ts';
import { type UpstreamMeasures, upstreamMeasures } from './upstream-measures.ts';

/** The upstreams in use. A new configuration replaces those that changed; their running answers go on. */
export interface Upstreams {
  /** Opens new upstreams without using them yet. Throws if one cannot be opened, and then nothing has changed. */
  prepare(specs: readonly UpstreamSpec[]): PreparedUpstreams;
  readonly named: (name: string) => LiveUpstream | undefined;
  /** Answers running at all upstreams, including replaced ones. */
  readonly running: number;
  /** Bytes of memory that waiting requests hold. */
  readonly waitingBytes: number;
  /** The queue limit, also for requests that wait for something else than a slot. */
  readonly queueLimit: QueueLimit;
  /** The retry budget of all requests together. */
  readonly budget: RetryBudget;
  report(): readonly UpstreamReport[];
  /** Every queue at this moment, with the name of its upstream. */
  queues(): readonly (QueueSnapshot & { readonly name: string })[];
  /** The metrics of every upstream in use. */
  measures(): readonly UpstreamMeasures[];
  /** The numbers of waiting requests, running calls and running retries. */
  taken(): { readonly waiting: number; readonly calls: number; readonly retries: number };
  close(): void;
}

/** Upstreams that are open and not in use yet. Call one of the two methods, once. */
export interface PreparedUpstreams {
  use(): void;
  /** Closes the upstreams that were opened. */
  discard(): void;
}

/** An upstream with the settings it was opened with, to detect changes. */
interface UpstreamSettings {
  readonly spec: string;
  readonly upstream: LiveUpstream;
}

export interface UpstreamsParts {
  readonly clock: Clock;
  readonly open: (spec: UpstreamSpec) => Upstream;
  /** Called when a credential goes out of use or comes back. */
  readonly healthChanged: (change: HealthChange) => void;
  /** The queue limit for all upstreams together. */
  readonly bounds: () => QueueBounds;
  /** The leases of this process, if there are other processes. */
  readonly leases?:
    | Pick<LeaseKeeper, 'slots' | 'retire' | 'takeUp' | 'board' | 'process' | 'state' | 'processes'>
    | undefined;
  /** Called with an invariant violation that no request can return. */
  readonly alarm?: (error: unknown) => void;
}

export function upstreamsInUse(parts: UpstreamsParts): Upstreams {
  const { clock, open, healthChanged, bounds, leases, alarm = () => {} } = parts;
  const queueLimit = new QueueLimit(bounds);
  let current: ReadonlyMap<string, UpstreamSettings> = new Map();
  let generation = 0;
  /** Replaced and removed upstreams that still have running calls. */
  const leaving = new Set<LiveUpstream>();

  function configured({ maxConcurrency, ...rest }: UpstreamSpec): UpstreamSettings {
    const spec = JSON.stringify(rest);
    const before = current.get(rest.name);
    if (before?.spec === spec) return before;
    const adapter = opened({ maxConcurrency, ...rest });
    // The slots outlive a change: answers that still run at the old upstream use capacity of the provider.
    const queue = before?.upstream.queue ?? queueLeft(rest.name) ?? newQueue(rest.name, maxConcurrency);
    generation += 1;
    return { spec, upstream: { generation, adapter, queue, credentials: credentialsOf(adapter, queue) } };
  }

  /** The queue of an upstream that was removed and comes back before all its running and waiting requests are over. */
  function queueLeft(name: string): UpstreamQueue | undefined {
    const left = [...leaving].find((each) => each.adapter.name === name && !isIdle(each));
    return left?.queue;
  }

  function newQueue(name: string, max: number): UpstreamQueue {
    return upstreamQueue({ clock, queueLimit, max, alarm, leased: leases?.slots(name) });
  }

  function opened(spec: UpstreamSpec): Upstream {
    try {
      return open(spec);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The upstream \`${spec.name}\` cannot be opened: ${why}`, { cause });
    }
  }

  /** Opens one after another; if one fails, closes those before it. */
  function prepared(specs: readonly UpstreamSpec[]): ReadonlyMap<string, UpstreamSettings> {
    const next = new Map<string, UpstreamSettings>();
    try {
      for (const spec of specs) next.set(spec.name, configured(spec));
    } catch (error) {
      discard(next);
      throw error;
    }
    return next;
  }

  function discard(next: ReadonlyMap<string, UpstreamSettings>): void {
    for (const [name, each] of next) {
      if (current.get(name) !== each) each.upstream.adapter.close();
      if (!current.has(name)) leases?.retire(name);
    }
  }

  function use(specs: readonly UpstreamSpec[], next: ReadonlyMap<string, UpstreamSettings>): void {
    const before = current;
    current = next;
    for (const [name, each] of before) if (next.get(name) !== each) retire(each);
    // Shared state about its credentials was about the old ones.
    for (const [name, { upstream }] of next)
      if (before.has(name) && before.get(name)?.upstream !== upstream) broadcastReturn(upstream);
    for (const name of before.keys()) if (!next.has(name)) leases?.retire(name);
    for (const name of next.keys()) if (!before.has(name)) leases?.takeUp(name);
    // Must be last: requests admitted now use the new upstreams, and requests that wait for a removed one look
    // elsewhere.
    for (const [name, { upstream }] of before) if (!next.has(name)) upstream.queue.subQueueCloses();
    for (const { name, maxConcurrency } of specs) next.get(name)?.upstream.queue.resize(maxConcurrency);
  }

  function credentialsOf({ name, credentials }: Upstream, queue: UpstreamQueue): readonly Credential[] {
    const indexes = Array.from({ length: credentials }, (_, index) => index);
    return indexes.map((index) => {
      const broadcast =
        leases &&
        ((state: SharedCredentialState, forMs: number): void =>
          leases.board.broadcast(encodeSharedState({ upstream: name, credential: index, state, forMs })));
      const share = leases && shareOf({ name, index, queue });
      return new Credential({ upstream: name, index }, { clock, changed: healthChanged, queue, broadcast, share });
    });
  }

  /** Divides the learned limits of a credential's models among all processes. */
  function shareOf({ name, index, queue }: { name: string; index: number; queue: UpstreamQueue }) {
    if (!leases) return undefined;
    return (model: string, limit: () => number): LimitShare =>
      new LimitShare({
        clock,
        leases,
        queue,
        limit,
        name: `${name} #${index} ${model}`,
        broadcast: (learned) => leases.board.broadcast(encodeLimit({ upstream: name, index, model, learned })),
      });
  }

  function broadcastReturn({ adapter, credentials }: LiveUpstream): void {
    for (const { index } of credentials) {
      const announced = {
        upstream: adapter.name,
        credential: index,
        state: { kind: 'back' },
        forMs: backForMs,
      } as const;
      leases?.board.broadcast(encodeSharedState(announced));
    }
  }

  function retire({ upstream }: UpstreamSettings): void {
    upstream.adapter.close();
    for (const credential of upstream.credentials) credential.leave();
    leaving.add(upstream);
    for (const old of leaving) if (isIdle(old)) leaving.delete(old);
  }

  function isIdle({ queue, credentials }: LiveUpstream): boolean {
    return queue.running + queue.waiting === 0 && credentials.every((credential) => credential.running === 0);
  }

  function all(): readonly LiveUpstream[] {
    return [...[...current.values()].map(({ upstream }) => upstream), ...leaving];
  }

  /** A queue that outlived a change belongs to two upstreams; it counts once. */
  function inQueues(count: (queue: UpstreamQueue) => number): number {
    return [...new Set(all().map(({ queue }) => queue))].reduce((total, queue) => total + count(queue), 0);
  }

  const unsubscribe = leases?.board.subscribe((state) => {
    const limit = decodeLimit(state);
    if (limit) current.get(limit.upstream)?.upstream.credentials[limit.index]?.applyLimit(limit.model, limit.learned);
    const announced = decodeSharedState(state);
    const credential = announced && current.get(announced.upstream)?.upstream.credentials[announced.credential];
    if (credential) credential.applySharedState(announced.state, announced.forMs);
  });

  const running = (): number => inQueues((queue) => queue.running);
  const budget = retryBudget(running);

  return {
    prepare(specs) {
      const next = prepared(specs);
      return { use: () => use(specs, next), discard: () => discard(next) };
    },
    named: (name) => current.get(name)?.upstream,
    queueLimit,
    get waitingBytes() {
      return queueLimit.bytes;
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
    queues: () =>
      [...current].map(([name, { upstream }]) => ({
        name,
        ...upstream.queue.snapshot(),
        limit: effectiveLimit(upstream),
      })),
    measures: () => [...current.values()].map(({ upstream }) => upstreamMeasures(upstream)),
    close() {
      unsubscribe?.();
      for (const { upstream } of current.values()) upstream.adapter.close();
    },
  };
}
