import type { LeaseKeeper } from '../cluster/lease-keeper.ts';
import type { UpstreamSpec } from '../config/upstream.ts';
import type { Clock } from '../core/clock.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { Credential, type HealthChange } from './credential.ts';
import {
  backForMs,
  type SharedCredentialState,
  decodeLimit,
  decodeSharedState,
  encodeLimit,
  encodeSharedState,
} from './shared-credential-state.ts';
import { type RoomBounds, QueueLimit } from './fair-queue/queue-limit.ts';
import { LimitShare } from './limit-share.ts';
import { type UpstreamQueue, upstreamQueue } from './upstream-queue.ts';
import type { QueueSnapshot } from './queue-snapshot.ts';
import type { LiveUpstream } from './candidates.ts';
import { type RetryBudget, retryBudget } from './retry-budget.ts';
import { effectiveLimit, type UpstreamReport, upstreamReport } from './upstream-report.ts';
import { type UpstreamMeasures, upstreamMeasures } from './upstream-measures.ts';

/** The upstreams in use. A change of the configuration replaces those that changed; their running answers go on. */
export interface Upstreams {
  /** Opens what is new. If one cannot be opened it throws, and nothing has changed; otherwise it is for the caller to decide. */
  prepare(specs: readonly UpstreamSpec[]): PreparedUpstreams;
  readonly named: (name: string) => LiveUpstream | undefined;
  /** Answers running at all upstreams, replaced ones included. */
  readonly running: number;
  /** Memory that waiting requests hold. */
  readonly waitingBytes: number;
  /** The bounds on all that waits, for whoever has something else than a slot to wait for. */
  readonly room: QueueLimit;
  /** For tries beyond the first, of all requests together. */
  readonly budget: RetryBudget;
  report(): readonly UpstreamReport[];
  /** Every queue at this moment, by the name of its upstream. */
  queues(): readonly (QueueSnapshot & { readonly name: string })[];
  /** What is measured of every upstream in use. */
  measures(): readonly UpstreamMeasures[];
  /** Slots waited for, calls under way, tries beyond the first. */
  taken(): { readonly waiting: number; readonly calls: number; readonly retries: number };
  close(): void;
}

/** Upstreams that are open and not in use yet: one of the two is called, once. */
export interface PreparedUpstreams {
  use(): void;
  /** Closes what was opened for nothing. */
  discard(): void;
}

/** An upstream with the settings it was opened with, to see what has changed. */
interface UpstreamSettings {
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
  /** Where there are other processes: what this one may use of each upstream. */
  readonly leases?:
    | Pick<LeaseKeeper, 'slots' | 'retire' | 'takeUp' | 'board' | 'process' | 'state' | 'processes'>
    | undefined;
  /** Hears of a broken rule where no request can be told. */
  readonly alarm?: (error: unknown) => void;
}

export function upstreamsInUse(parts: UpstreamsParts): Upstreams {
  const { clock, open, healthChanged, bounds, leases, alarm = () => {} } = parts;
  const room = new QueueLimit(bounds);
  let current: ReadonlyMap<string, UpstreamSettings> = new Map();
  let generation = 0;
  /** Those that were replaced or removed, while something of them still runs. */
  const leaving = new Set<LiveUpstream>();

  function configured({ maxConcurrency, ...rest }: UpstreamSpec): UpstreamSettings {
    const spec = JSON.stringify(rest);
    const before = current.get(rest.name);
    if (before?.spec === spec) return before;
    const adapter = opened({ maxConcurrency, ...rest });
    // The slots outlive a change: answers that still run at the old connection take up room at the provider.
    const queue = before?.upstream.queue ?? queueLeft(rest.name) ?? newQueue(rest.name, maxConcurrency);
    generation += 1;
    return { spec, upstream: { generation, adapter, queue, credentials: credentialsOf(adapter, queue) } };
  }

  /** The queue of an upstream that was removed and comes back before all that runs and waits there is over. */
  function queueLeft(name: string): UpstreamQueue | undefined {
    const left = [...leaving].find((each) => each.adapter.name === name && !isQuiet(each));
    return left?.queue;
  }

  function newQueue(name: string, max: number): UpstreamQueue {
    return upstreamQueue({ clock, room, max, alarm, leased: leases?.slots(name) });
  }

  function opened(spec: UpstreamSpec): Upstream {
    try {
      return open(spec);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The upstream \`${spec.name}\` cannot be opened: ${why}`, { cause });
    }
  }

  /** Opens one after another; when one fails, those before it are closed. */
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
    // Whatever was said of its credentials was said of others.
    for (const [name, { upstream }] of next)
      if (before.has(name) && before.get(name)?.upstream !== upstream) tellNew(upstream);
    for (const name of before.keys()) if (!next.has(name)) leases?.retire(name);
    for (const name of next.keys()) if (!before.has(name)) leases?.takeUp(name);
    // Last: who is let in now is sent to the upstreams as they are now, and who waits for none of them looks elsewhere.
    for (const [name, { upstream }] of before) if (!next.has(name)) upstream.queue.subQueueCloses();
    for (const { name, maxConcurrency } of specs) next.get(name)?.upstream.queue.resize(maxConcurrency);
  }

  function credentialsOf({ name, credentials }: Upstream, queue: UpstreamQueue): readonly Credential[] {
    const indexes = Array.from({ length: credentials }, (_, index) => index);
    return indexes.map((index) => {
      const tell =
        leases &&
        ((news: SharedCredentialState, forMs: number): void =>
          leases.board.tell(encodeSharedState({ upstream: name, credential: index, news, forMs })));
      const share = leases && shareOf({ name, index, queue });
      return new Credential({ upstream: name, index }, { clock, changed: healthChanged, queue, tell, share });
    });
  }

  /** How what was found out about a credential's models is divided among all processes. */
  function shareOf({ name, index, queue }: { name: string; index: number; queue: UpstreamQueue }) {
    if (!leases) return undefined;
    return (model: string, limit: () => number): LimitShare =>
      new LimitShare({
        clock,
        leases,
        queue,
        limit,
        name: `${name} #${index} ${model}`,
        tell: (learned) => leases.board.tell(encodeLimit({ upstream: name, index, model, learned })),
      });
  }

  function tellNew({ adapter, credentials }: LiveUpstream): void {
    for (const { index } of credentials) {
      const told = { upstream: adapter.name, credential: index, news: { kind: 'back' }, forMs: backForMs } as const;
      leases?.board.tell(encodeSharedState(told));
    }
  }

  function retire({ upstream }: UpstreamSettings): void {
    upstream.adapter.close();
    for (const credential of upstream.credentials) credential.leave();
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

  const unsubscribe = leases?.board.subscribe((said) => {
    const limit = decodeLimit(said);
    if (limit) current.get(limit.upstream)?.upstream.credentials[limit.index]?.hearLimit(limit.model, limit.learned);
    const told = decodeSharedState(said);
    const credential = told && current.get(told.upstream)?.upstream.credentials[told.credential];
    if (credential) credential.hear(told.news, told.forMs);
  });

  const running = (): number => inQueues((queue) => queue.running);
  const budget = retryBudget(running);

  return {
    prepare(specs) {
      const next = prepared(specs);
      return { use: () => use(specs, next), discard: () => discard(next) };
    },
    named: (name) => current.get(name)?.upstream,
    room,
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
