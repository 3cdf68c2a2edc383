import type { AccountDemand, SlotLease } from '../../../platform/cluster/arbiter.ts';
import type { LeasedSlots, LeaseUser } from '../../../platform/cluster/leased-slots.ts';
import type { LeaseKeeper } from '../../../platform/cluster/lease-keeper.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { LearnedLimit } from '../queue/adaptive-limit.ts';
import type { UpstreamQueue } from '../queue/upstream-queue.ts';

export interface LimitShareParts {
  readonly clock: Clock;
  readonly leases: Pick<LeaseKeeper, 'process' | 'state' | 'processes' | 'slots' | 'retire'>;
  /** The name of the shared limit, the same in all processes. */
  readonly name: string;
  readonly queue: Pick<
    UpstreamQueue,
    'running' | 'waiting' | 'idleRunning' | 'idleWaiting' | 'runningElsewhere' | 'recheck'
  >;
  /** How many calls may run at once in all processes together. */
  readonly limit: () => number;
  readonly broadcast: (learned: LearnedLimit) => void;
}

/** Each process raises the limit at most this often, so that the others receive it before they raise it again. */
const growEveryMs = 1000;

/**
 * A process's share of the calls that a provider accepts for one model and credential, once that is known to be less
 * than configured. It is leased like the slots of an upstream. Until a limit is learned, there is nothing to lease.
 */
export class LimitShare implements LeaseUser {
  readonly #parts: LimitShareParts;
  #slots: LeasedSlots | undefined;
  #running = 0;
  #elsewhere: number | undefined;
  #hasDemand = false;
  #changedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LimitShareParts) {
    this.#parts = parts;
  }

  get isDivided(): boolean {
    return this.#slots !== undefined;
  }

  /** How many calls may run here. Without a division by the arbiter: an even part, only an estimate. */
  get allowed(): number {
    const { leases, limit } = this.#parts;
    if (!this.#slots || leases.processes === 0) return limit();
    if (leases.state === 'leased' && this.#elsewhere !== undefined) return this.#slots.limit;
    return Math.max(1, Math.floor(limit() / leases.processes));
  }

  get mayGrow(): boolean {
    return this.#parts.clock.elapsed() - this.#changedMs >= growEveryMs;
  }

  get limit(): number {
    return this.#parts.limit();
  }

  get waiting(): number {
    const { queue } = this.#parts;
    const isOfInteractive = this.#hasDemand && (queue.waiting > 0 || queue.idleWaiting === 0);
    return isOfInteractive ? Math.max(1, queue.waiting) : 0;
  }

  get idleWaiting(): number {
    return this.#hasDemand ? this.#parts.queue.idleWaiting : 0;
  }

  /** Processes share by their load; within a process, the upstream's queue decides between accounts. */
  demands(): readonly AccountDemand[] {
    return [this.#demand(this.#running - this.#idleRunning, this.waiting)];
  }

  idleDemands(): readonly AccountDemand[] {
    const { idleWaiting } = this;
    return this.#idleRunning + idleWaiting > 0 ? [this.#demand(this.#idleRunning, idleWaiting)] : [];
  }

  #demand(running: number, waiting: number): AccountDemand {
    return { id: `all of ${this.#parts.leases.process}`, weight: 1, running, waiting };
  }

  /** How many of the running calls are of the idle class, estimated from their proportion at the upstream. */
  get #idleRunning(): number {
    const { running, idleRunning } = this.#parts.queue;
    return idleRunning === 0 ? 0 : Math.round((this.#running * idleRunning) / running);
  }

  recheck(): void {
    this.#parts.queue.recheck();
  }

  onDemandElsewhere({ elsewhere }: Pick<SlotLease, 'elsewhere'>): void {
    this.#elsewhere = elsewhere.running;
    this.#hasDemand = false;
  }

  /** Such calls in other processes; until known, estimated from their proportion here. */
  elsewhere(running: number): number {
    if (this.#elsewhere !== undefined) return this.#elsewhere;
    const { queue } = this.#parts;
    return Math.round(queue.runningElsewhere * Math.min(1, (running + 1) / Math.max(1, queue.running)));
  }

  counted(running: number): void {
    this.#running = running;
    this.#slots?.counted(running);
  }

  /** A request was not admitted, because as many calls run here as may. */
  want(): void {
    if (!this.#slots) return;
    this.#hasDemand = true;
    this.#slots.ask();
  }

  /** Divides the limit among processes from now on, or stops dividing it if it is no longer lowered. */
  divide(isLowered: boolean, running: number): void {
    const { leases, name, clock } = this.#parts;
    this.#changedMs = clock.elapsed();
    this.#running = running;
    if (isLowered && !this.#slots) {
      this.#slots = leases.slots(name);
      this.#slots.counted(running);
      this.#slots.use(this);
    } else if (!isLowered && this.#slots) {
      this.#slots.counted(0);
      leases.retire(name);
      this.#slots = undefined;
      this.#elsewhere = undefined;
      this.#hasDemand = false;
    }
  }

  broadcast(learned: LearnedLimit): void {
    this.#parts.broadcast(learned);
  }
}
