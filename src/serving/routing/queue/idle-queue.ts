import type { AccountDemand, SlotLease } from '../../../platform/cluster/arbiter.ts';
import { FairQueue } from '../fair-queue/fair-queue.ts';
import type { Demand } from '../fair-queue/demand.ts';
import type { Slots } from './slots.ts';

/** The only slot of an upstream runs idle requests after this long without interactive ones. */
const quietMs = 30_000;
/** The longest span until the queue looks again for requests that turn ordinary: timers cannot wait for weeks. */
const lookMs = 3_600_000;

/**
 * The idle class at one upstream: a fair queue of its own behind that of the interactive requests. Its requests have no
 * share in the accounts' virtual time, and no maximum per account.
 */
export class IdleQueue {
  readonly queue: FairQueue;
  readonly #elapsed: () => number;
  readonly #slots: Slots;
  /** When the first of the waiting requests turns ordinary, or an earlier time. */
  #nextOrdinaryMs = Number.POSITIVE_INFINITY;
  /** When the last interactive request ended here, or was seen in another process. */
  #interactiveMs = Number.NEGATIVE_INFINITY;

  constructor(elapsed: () => number, slots: Slots) {
    this.#elapsed = elapsed;
    this.#slots = slots;
    this.queue = new FairQueue(elapsed, { isIdleClass: true });
  }

  get waiting(): number {
    return this.queue.waiting;
  }

  get running(): number {
    return this.queue.running;
  }

  /** Whether an idle request may start. Only correct if no waiting interactive request could be admitted. */
  mayStart(interactive: FairQueue): boolean {
    return this.running < this.#slots.idleLimit(interactive.running) && this.#quietInMs(interactive) === 0;
  }

  /** An interactive request ended, or one is at the upstream in another process. */
  interactiveSeen(): void {
    this.#interactiveMs = this.#elapsed();
  }

  /** A request waits: when it turns ordinary, `isTimeToPromote` returns true. */
  promoteLater({ idle }: Demand): void {
    if (idle) this.#nextOrdinaryMs = Math.min(this.#nextOrdinaryMs, idle.ordinaryFromMs);
  }

  /** Call `promoteLater` again for each request that still waits. */
  takeTimeToPromote(): boolean {
    if (this.#elapsed() < this.#nextOrdinaryMs) return false;
    this.#nextOrdinaryMs = Number.POSITIVE_INFINITY;
    return true;
  }

  /** How long until time alone lets a waiting request start. */
  spans(interactive: FairQueue): readonly number[] {
    if (this.waiting === 0) return [];
    const ordinaryInMs = Math.min(lookMs, Math.max(1, this.#nextOrdinaryMs - this.#elapsed()));
    const quietInMs = this.#quietInMs(interactive);
    return quietInMs > 0 ? [ordinaryInMs, quietInMs] : [ordinaryInMs];
  }

  /** The report to the arbiter. It claims the only slot of an upstream only once that is quiet. */
  demands(interactive: FairQueue): readonly AccountDemand[] {
    const demands = this.queue.demands();
    if (this.#quietInMs(interactive) === 0) return demands;
    return demands.filter(({ running }) => running > 0).map((demand) => ({ ...demand, waiting: 0 }));
  }

  applyElsewhere({ elsewhere, idle }: Pick<SlotLease, 'elsewhere' | 'idle'>): void {
    if (elsewhere.running - elsewhere.idle + elsewhere.waiting > 0) this.interactiveSeen();
    this.queue.applyElsewhere({ elsewhere: noDemand, accounts: idle?.accounts ?? [] });
  }

  /** Always 0 unless there is only one slot. */
  #quietInMs(interactive: FairQueue): number {
    if (this.#slots.totalLimit > 1) return 0;
    if (interactive.running > 0) return quietMs;
    const sinceMs = Math.max(this.#interactiveMs, interactive.lastArrivalMs);
    return Math.max(0, sinceMs + quietMs - this.#elapsed());
  }
}

const noDemand = { running: 0, waiting: 0 };
