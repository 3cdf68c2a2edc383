import type { SharedState } from '../../platform/cluster/arbiter.ts';
import type { LeaseKeeper } from '../../platform/cluster/lease-keeper.ts';
import type { UpstreamSpec } from '../../platform/config/schema/upstream.ts';
import type { Clock } from '../../core/time/clock.ts';
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
import { UpstreamQueue } from './queue/upstream-queue.ts';
import type { QueueSnapshot } from './queue/queue-snapshot.ts';
import type { LiveUpstream } from './candidates/candidates.ts';
import { type RetryBudget, retryBudget } from './calls/retry-budget.ts';
import {
  effectiveLimit,
  type UpstreamMeasures,
  upstreamMeasures,
  type UpstreamReport,
  upstreamReport,
} from './upstream-report.ts';

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

/** The upstreams in use. A new configuration replaces those that changed; their running answers go on. */
export class Upstreams {
  /** The queue limit, also for requests that wait for something else than a slot. */
  readonly queueLimit: QueueLimit;
  readonly budget: RetryBudget;
  readonly #parts: UpstreamsParts;
  readonly #unsubscribe: (() => void) | undefined;
  #current: ReadonlyMap<string, UpstreamSettings> = new Map();
  #generation = 0;
  /** Replaced and removed upstreams that still have running calls. */
  readonly #leaving = new Set<LiveUpstream>();

  constructor(parts: UpstreamsParts) {
    this.#parts = parts;
    this.queueLimit = new QueueLimit(parts.bounds);
    this.budget = retryBudget(() => this.running);
    this.#unsubscribe = parts.leases?.board.subscribe((state) => this.#applyShared(state));
  }

  /** Opens new upstreams without using them yet. Throws if one cannot be opened, and then nothing has changed. */
  prepare(specs: readonly UpstreamSpec[]): PreparedUpstreams {
    const next = this.#prepared(specs);
    return { use: () => this.#use(specs, next), discard: () => this.#discard(next) };
  }

  readonly named = (name: string): LiveUpstream | undefined => this.#current.get(name)?.upstream;

  /** Answers running at all upstreams, including replaced ones. */
  get running(): number {
    return this.#inQueues((queue) => queue.running);
  }

  /** Bytes of memory that waiting requests hold. */
  get waitingBytes(): number {
    return this.queueLimit.bytes + this.queueLimit.idle.bytes;
  }

  report(): readonly UpstreamReport[] {
    return [...this.#current.values()].map(({ upstream }) => upstreamReport(upstream, this.#parts.clock));
  }

  queues(): readonly (QueueSnapshot & { readonly name: string })[] {
    return [...this.#current].map(([name, { upstream }]) => ({
      name,
      ...upstream.queue.snapshot(),
      limit: effectiveLimit(upstream),
    }));
  }

  measures(): readonly UpstreamMeasures[] {
    return [...this.#current.values()].map(({ upstream }) => upstreamMeasures(upstream));
  }

  /** The numbers of waiting requests, running calls and running retries. */
  taken(): { readonly waiting: number; readonly calls: number; readonly retries: number } {
    return {
      waiting: this.#inQueues((queue) => queue.waiting + queue.idleWaiting),
      calls: this.#all()
        .flatMap(({ credentials }) => credentials)
        .reduce((total, credential) => total + credential.running, 0),
      retries: this.budget.inUse,
    };
  }

  close(): void {
    this.#unsubscribe?.();
    for (const { upstream } of this.#current.values()) upstream.adapter.close();
  }

  #configured({ maxConcurrency, ...rest }: UpstreamSpec): UpstreamSettings {
    const spec = JSON.stringify(rest);
    const before = this.#current.get(rest.name);
    if (before?.spec === spec) return before;
    const adapter = this.#opened({ maxConcurrency, ...rest });
    // The slots outlive a change: answers that still run at the old upstream use capacity of the provider.
    const queue = before?.upstream.queue ?? this.#queueLeft(rest.name) ?? this.#newQueue(rest.name, maxConcurrency);
    const credentials = this.#credentialsOf(adapter, queue);
    return { spec, upstream: { generation: ++this.#generation, adapter, queue, credentials } };
  }

  /** The queue of an upstream that was removed and comes back before all its running and waiting requests are over. */
  #queueLeft(name: string): UpstreamQueue | undefined {
    const left = [...this.#leaving].find((each) => each.adapter.name === name && !isIdle(each));
    return left?.queue;
  }

  #newQueue(name: string, max: number): UpstreamQueue {
    const { clock, leases, alarm = () => {} } = this.#parts;
    return new UpstreamQueue({ clock, queueLimit: this.queueLimit, max, alarm, leased: leases?.slots(name) });
  }

  #opened(spec: UpstreamSpec): Upstream {
    try {
      return this.#parts.open(spec);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The upstream \`${spec.name}\` cannot be opened: ${why}`, { cause });
    }
  }

  /** Opens one after another; if one fails, closes those before it. */
  #prepared(specs: readonly UpstreamSpec[]): ReadonlyMap<string, UpstreamSettings> {
    const next = new Map<string, UpstreamSettings>();
    try {
      for (const spec of specs) next.set(spec.name, this.#configured(spec));
    } catch (error) {
      this.#discard(next);
      throw error;
    }
    return next;
  }

  #discard(next: ReadonlyMap<string, UpstreamSettings>): void {
    for (const [name, each] of next) {
      if (this.#current.get(name) !== each) each.upstream.adapter.close();
      if (!this.#current.has(name)) this.#parts.leases?.retire(name);
    }
  }

  #use(specs: readonly UpstreamSpec[], next: ReadonlyMap<string, UpstreamSettings>): void {
    const { leases } = this.#parts;
    const before = this.#current;
    this.#current = next;
    for (const [name, each] of before) if (next.get(name) !== each) this.#retire(each);
    // Shared state about its credentials was about the old ones.
    for (const [name, { upstream }] of next)
      if (before.has(name) && before.get(name)?.upstream !== upstream) this.#broadcastReturn(upstream);
    for (const name of before.keys()) if (!next.has(name)) leases?.retire(name);
    for (const name of next.keys()) if (!before.has(name)) leases?.takeUp(name);
    // Last: requests admitted now use the new upstreams, and those that wait for a removed one look elsewhere.
    for (const [name, { upstream }] of before) if (!next.has(name)) upstream.queue.subQueueCloses();
    for (const { name, maxConcurrency } of specs) next.get(name)?.upstream.queue.resize(maxConcurrency);
  }

  #credentialsOf({ name, credentials }: Upstream, queue: UpstreamQueue): readonly Credential[] {
    const { clock, healthChanged: changed, leases } = this.#parts;
    const indexes = Array.from({ length: credentials }, (_, index) => index);
    return indexes.map((index) => {
      const broadcast =
        leases &&
        ((state: SharedCredentialState, forMs: number): void =>
          leases.board.broadcast(encodeSharedState({ upstream: name, credential: index, state, forMs })));
      const share = leases && this.#shareOf({ name, index, queue });
      return new Credential({ upstream: name, index }, { clock, changed, queue, broadcast, share });
    });
  }

  /** Divides the learned limits of a credential's models among all processes. */
  #shareOf({ name, index, queue }: { name: string; index: number; queue: UpstreamQueue }) {
    const { clock, leases } = this.#parts;
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

  #broadcastReturn({ adapter, credentials }: LiveUpstream): void {
    for (const { index } of credentials) {
      const announced = {
        upstream: adapter.name,
        credential: index,
        state: { kind: 'back' },
        forMs: backForMs,
      } as const;
      this.#parts.leases?.board.broadcast(encodeSharedState(announced));
    }
  }

  #retire({ upstream }: UpstreamSettings): void {
    upstream.adapter.close();
    for (const credential of upstream.credentials) credential.leave();
    this.#leaving.add(upstream);
    for (const old of this.#leaving) if (isIdle(old)) this.#leaving.delete(old);
  }

  #all(): readonly LiveUpstream[] {
    return [...[...this.#current.values()].map(({ upstream }) => upstream), ...this.#leaving];
  }

  /** A queue that outlived a change belongs to two upstreams; it counts once. */
  #inQueues(count: (queue: UpstreamQueue) => number): number {
    return [...new Set(this.#all().map(({ queue }) => queue))].reduce((total, queue) => total + count(queue), 0);
  }

  #applyShared(state: SharedState): void {
    const limit = decodeLimit(state);
    if (limit) this.#credential(limit.upstream, limit.index)?.applyLimit(limit.model, limit.learned);
    const announced = decodeSharedState(state);
    if (announced)
      this.#credential(announced.upstream, announced.credential)?.applySharedState(announced.state, announced.forMs);
  }

  #credential(upstream: string, index: number): Credential | undefined {
    return this.#current.get(upstream)?.upstream.credentials[index];
  }
}

function isIdle({ queue, credentials }: LiveUpstream): boolean {
  return queue.isUnused && credentials.every((credential) => credential.running === 0);
}
