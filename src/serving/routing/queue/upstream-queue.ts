import type { AccountDemand, SlotLease } from '../../../platform/cluster/arbiter.ts';
import type { LeasedSlots, LeaseUser } from '../../../platform/cluster/leased-slots.ts';
import { assert } from 'chat-formats/assert.ts';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { AdaptiveLimit } from './adaptive-limit.ts';
import type { Demand } from '../fair-queue/demand.ts';
import { FairQueue } from '../fair-queue/fair-queue.ts';
import { isIdleClass } from '../fair-queue/idle-terms.ts';
import { type SubQueue, openSubQueue } from '../fair-queue/sub-queue.ts';
import type { Ticket } from '../fair-queue/queued-account.ts';
import type { QueueEntry, QueueLimit } from '../fair-queue/queue-limit.ts';
import { Slot, type SlotQueue, type CooldownOptions, type WaitOptions } from './slot.ts';
import { localSlots, type Slots } from './slots.ts';
import { IdleQueue } from './idle-queue.ts';
import { type QueueSnapshot, queueSnapshot } from './queue-snapshot.ts';
import { RefusalStreak } from './refusal-streak.ts';
import { Wait } from './wait.ts';

/** All upstreams of the process share the queue limit. */
interface UpstreamQueueParts {
  readonly clock: Clock;
  readonly queueLimit: QueueLimit;
  readonly max: number;
  /** The slots that this process has leased, if there are other processes; otherwise all slots are its own. */
  readonly leased?: LeasedSlots | undefined;
  /** All requests are of one account: it may use every slot. */
  readonly isOfOne?: boolean;
  /** Called with an invariant violation that no request can return. */
  readonly alarm?: (error: unknown) => void;
}

/** The slots of one upstream and the fair queue in front of them. */
export class UpstreamQueue implements SlotQueue, LeaseUser {
  readonly #clock: Clock;
  readonly #queueLimit: QueueLimit;
  readonly #alarm: (error: unknown) => void;
  readonly #limit: AdaptiveLimit;
  readonly #streak = new RefusalStreak();
  readonly #slots: Slots;
  readonly #queue: FairQueue;
  /** Created for the first request of the idle class. */
  #idle: IdleQueue | undefined;
  readonly #waits = new Map<Ticket, Wait>();
  /** How many answers run in other processes, from the last reply of the arbiter. */
  runningElsewhere = 0;
  readonly isOfOne: boolean;
  readonly #cooldowns = new Map<Ticket, { readonly timer: Timer; readonly untilMs: number }>();
  #max: number;
  #wakeTimer: Timer | undefined;
  #wakeAtMs = 0;

  constructor({ clock, queueLimit, max, leased, isOfOne = false, alarm = () => {} }: UpstreamQueueParts) {
    this.#clock = clock;
    this.#queueLimit = queueLimit;
    this.#alarm = alarm;
    this.#max = max;
    this.isOfOne = isOfOne;
    this.#limit = new AdaptiveLimit(() => this.#max);
    this.#slots = leased ?? localSlots(() => this.#limit.current);
    this.#queue = new FairQueue(clock.elapsed, { isOfOne });
    leased?.use(this);
  }

  get running(): number {
    return this.#queue.running + this.idleRunning;
  }

  /** Waiting requests, without those of the idle class. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  get idleRunning(): number {
    return this.#idle?.running ?? 0;
  }

  /** Time that requests of the idle class have held slots, in ms. */
  get idleSlotMs(): number {
    return this.#idle?.queue.slotMs ?? 0;
  }

  get idleWaiting(): number {
    return this.#idle?.waiting ?? 0;
  }

  get isUnused(): boolean {
    return this.running + this.waiting + this.idleWaiting === 0;
  }

  /** How many answers may run at once, in all processes that share the upstream. */
  get limit(): number {
    return this.#limit.current;
  }

  /** How many of them may run in this process. */
  get allowed(): number {
    return this.#slots.limit;
  }

  demands(): readonly AccountDemand[] {
    return this.#queue.demands();
  }

  idleDemands(): readonly AccountDemand[] {
    return this.#idle?.demands(this.#queue) ?? [];
  }

  onDemandElsewhere(lease: Pick<SlotLease, 'elsewhere' | 'accounts' | 'idle'>): void {
    const { running, waiting, idle } = lease.elsewhere;
    this.runningElsewhere = running;
    this.#safely(() => {
      this.#queue.applyElsewhere({ elsewhere: { running: running - idle, waiting }, accounts: lease.accounts });
      this.#idle?.applyElsewhere(lease);
    });
  }

  /** Takes a slot if one is free and no waiting request would be passed over. Synchronous: the usual case must be cheap. */
  tryEnter(demand: Demand): Slot | undefined {
    if (demand.idle && isIdleClass(demand.idle, this.#clock.elapsed())) return this.#tryEnterIdle(demand);
    if (this.waiting > 0) this.#admit();
    const ticket = this.#takeSlot(() => this.#queue.enterAtOnce(demand, this.#slots.totalLimit));
    return ticket && this.#slot(ticket, { waitMs: 0, position: 0 });
  }

  #tryEnterIdle(demand: Demand): Slot | undefined {
    if (this.#hasWaiting) this.#admit();
    const idle = this.#idleQueue();
    if (!idle.mayStart(this.#queue)) return undefined;
    const ticket = this.#takeSlot(() => idle.queue.enterAtOnce(demand, this.#slots.totalLimit));
    return ticket && this.#slot(ticket, { waitMs: 0, position: 0 });
  }

  /**
   * Waits for a slot. Rejects with the signal's reason, or with `overloaded` if the deadline passes or the queue limit
   * is reached. Resolves with `undefined` if the wait is outdated and something else should be tried.
   */
  enter(demand: Demand, options: WaitOptions): Promise<Slot | undefined> {
    if (options.signal.aborted) return Promise.reject(options.signal.reason);
    const { subQueue = openSubQueue, shared, granted } = options;
    const slot = subQueue.isOpen() ? this.tryEnter(demand) : undefined;
    if (slot) return this.#grantNow(slot, granted);
    const wait = new Wait(this.#clock, options, this.waiting + (demand.idle ? this.idleWaiting : 0));
    const wanted = wait.wantedQueueEntry(demand);
    wait.queueEntry =
      shared?.queueEntry ??
      this.#limitOf(demand).enter(shared ? { ...wanted, sendAway: () => shared.sendAway() } : wanted);
    if (shared) shared.queueEntry = wait.queueEntry;
    if (!wait.queueEntry) return Promise.reject(new GatewayError('overloaded'));
    this.#startWait(this.#enqueue(demand, subQueue, wait.queueEntry), wait);
    this.recheck();
    return wait.promise;
  }

  /** Sets another number of slots, effective as slots are released. */
  resize(max: number): void {
    this.#max = max;
    this.recheck();
  }

  /** Call when a sub-queue may have opened. */
  recheck(): void {
    if (this.#hasWaiting) this.#safely(() => this.#admit());
  }

  /** Call when a sub-queue has closed for a while: its requests may have something better to wait for. */
  subQueueCloses(): void {
    for (const [ticket, wait] of this.#waits) {
      if (ticket.state !== 'waiting' || ticket.subQueue.isOpen() || !wait.isOutdated()) continue;
      this.#stopWaiting(ticket, wait);
      wait.resolve(undefined);
    }
    this.recheck();
  }

  answered(how: 'begun' | 'ended'): void {
    this.#streak.answered();
    if (how === 'begun') this.#limit.accepted();
  }

  /** The upstream refused a call of a model for lack of capacity. */
  refused(model: string): void {
    if (!this.#streak.refused(model)) return;
    const running = this.running + this.runningElsewhere;
    this.#limit.refused({ running: Math.max(0, running - 1), undecided: 0 });
  }

  snapshot(): QueueSnapshot {
    const nowMs = this.#clock.elapsed();
    const pausedMs = this.#pausedMs(nowMs);
    return queueSnapshot(this.#queue, { limit: this.limit, pausedMs, nowMs, waits: this.#waits, idle: this.#idle });
  }

  waitingByPackage(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { demand, isIdleClass } of this.#waits.keys()) {
      if (isIdleClass) continue;
      const name = demand.packageName ?? '';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }

  release(ticket: Ticket, actualCost: number | undefined): void {
    this.#safely(() => {
      this.#queueOf(ticket).leave(ticket, actualCost);
      if (!ticket.isIdleClass) this.#idle?.interactiveSeen();
      this.#slots.give();
      this.#admit();
    });
  }

  requeue(ticket: Ticket, position: number, options: CooldownOptions): Promise<Slot | undefined> {
    this.#queueOf(ticket).coolDown(ticket, options.subQueue);
    this.#slots.give();
    const { shared } = options;
    const wait = new Wait(this.#clock, options, position);
    const wanted = wait.wantedQueueEntry(ticket.demand);
    wait.queueEntry = this.#limitOf(ticket.demand).returnTo(
      shared ? { ...wanted, sendAway: () => shared.sendAway() } : wanted,
    );
    if (shared) shared.queueEntry = wait.queueEntry;
    const untilMs = this.#clock.elapsed() + options.cooldownMs;
    const timer = this.#clock.after(options.cooldownMs, () => this.#safely(() => this.#requeue(ticket)));
    this.#cooldowns.set(ticket, { timer, untilMs });
    this.#startWait(ticket, wait);
    this.recheck();
    return wait.promise;
  }

  alarm(error: unknown): void {
    this.#alarm(error);
  }

  /** An invariant violation must not end the process if there is no request that could fail with it. */
  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#alarm(error);
    }
  }

  async #grantNow(slot: Slot, granted: WaitOptions['granted']): Promise<Slot> {
    try {
      granted?.();
      return slot;
    } catch (error) {
      slot.release(0);
      throw error;
    }
  }

  #enqueue(demand: Demand, subQueue: SubQueue, queueEntry: QueueEntry): Ticket {
    try {
      if (!demand.idle || !isIdleClass(demand.idle, this.#clock.elapsed())) return this.#queue.enter(demand, subQueue);
      const idle = this.#idleQueue();
      idle.promoteLater(demand);
      return idle.queue.enter(demand, subQueue);
    } catch (error) {
      this.#queueLimit.leave(queueEntry);
      throw error;
    }
  }

  #requeue(ticket: Ticket): void {
    this.#cooldowns.delete(ticket);
    this.#queueOf(ticket).requeue(ticket);
    if (ticket.isIdleClass) this.#idle?.promoteLater(ticket.demand);
    this.#admit();
  }

  #idleQueue(): IdleQueue {
    return (this.#idle ??= new IdleQueue(this.#clock.elapsed, this.#slots));
  }

  #queueOf({ isIdleClass }: Ticket): FairQueue {
    return isIdleClass ? this.#idleQueue().queue : this.#queue;
  }

  #limitOf({ idle }: Demand): QueueLimit {
    return idle ? this.#queueLimit.idle : this.#queueLimit;
  }

  get #hasWaiting(): boolean {
    return this.waiting + this.idleWaiting > 0;
  }

  /** Requests of the idle class whose time has come wait as interactive ones. Their place in the queue limit stays. */
  #promote(idle: IdleQueue): void {
    if (!idle.takeTimeToPromote()) return;
    const nowMs = this.#clock.elapsed();
    for (const [ticket, wait] of this.#waits) {
      // A request in a cooldown is promoted after it.
      if (!ticket.isIdleClass || ticket.state !== 'waiting') continue;
      if (isIdleClass(ticket.demand.idle, nowMs)) {
        idle.promoteLater(ticket.demand);
        continue;
      }
      idle.queue.cancel(ticket);
      this.#waits.delete(ticket);
      wait.ticket = this.#queue.enter(ticket.demand, ticket.subQueue);
      this.#waits.set(wait.ticket, wait);
    }
  }

  #startWait(ticket: Ticket, wait: Wait): void {
    this.#waits.set(ticket, wait);
    wait.ticket = ticket;
    wait.begin(() =>
      this.#safely(() => {
        if (wait.ticket) this.#stopWaiting(wait.ticket, wait);
        this.#admit();
      }),
    );
  }

  #stopWaiting(ticket: Ticket, wait: Wait): void {
    this.#waits.delete(ticket);
    this.#clock.cancel(this.#cooldowns.get(ticket)?.timer);
    this.#cooldowns.delete(ticket);
    if (wait.queueEntry) this.#queueLimit.leave(wait.queueEntry);
    this.#queueOf(ticket).cancel(ticket);
  }

  /** Takes a slot for the request that `choose` makes a running one. If there is none, the slot stays free. */
  #takeSlot(choose: () => Ticket | undefined): Ticket | undefined {
    const limit = this.#slots.take();
    if (limit === undefined) return undefined;
    let ticket: Ticket | undefined;
    try {
      assert(this.running < limit, 'a request gets a slot only while one is free');
      ticket = choose();
      assert(this.running <= limit, 'no more requests are admitted than there are slots');
    } catch (error) {
      if (ticket) {
        this.#queueOf(ticket).leave(ticket, 0);
        this.#endWait(ticket)?.reject(error);
      }
      this.#slots.give();
      throw error;
    }
    if (!ticket) this.#slots.give();
    return ticket;
  }

  /** Admits every request that may have a slot, and sets a timer if time alone can open a sub-queue. */
  #admit(): void {
    if (this.#idle) this.#promote(this.#idle);
    // Read before `next`: a sub-queue that opens right after it would be neither seen open nor waited for.
    let spans = this.#closedSpans();
    while (this.#hasWaiting) {
      const ticket = this.#next();
      if (!ticket) break;
      this.#grant(ticket);
      spans = this.#closedSpans();
    }
    this.#planWake(spans);
  }

  /** The next request that may have a slot: an idle one only if no interactive one may. */
  #next(): Ticket | undefined {
    const ticket = this.waiting > 0 ? this.#takeSlot(() => this.#queue.next(this.#slots.totalLimit)) : undefined;
    const idle = this.#idle;
    if (ticket || !idle?.waiting || !idle.mayStart(this.#queue)) return ticket;
    return this.#takeSlot(() => idle.queue.next(this.#slots.totalLimit));
  }

  #grant(ticket: Ticket): void {
    const wait = this.#endWait(ticket);
    try {
      assert(wait !== undefined, 'a request that gets a slot has a wait');
      wait.granted();
      wait.resolve(this.#slot(ticket, { waitMs: this.#clock.elapsed() - wait.sinceMs, position: wait.position }));
    } catch (error) {
      this.#queueOf(ticket).leave(ticket, 0);
      this.#slots.give();
      if (!wait) throw error;
      wait.reject(error);
    }
  }

  #endWait(ticket: Ticket): Wait | undefined {
    const wait = this.#waits.get(ticket);
    this.#waits.delete(ticket);
    if (wait?.queueEntry) this.#queueLimit.leave(wait.queueEntry);
    return wait;
  }

  #slot(ticket: Ticket, how: { waitMs: number; position: number }): Slot {
    return new Slot(this, ticket, how);
  }

  /** How long no waiting request can be admitted, because everything they wait for is in a cooldown. */
  #pausedMs(nowMs: number): number {
    const closed = this.#queue.subQueues.map((subQueue) => (subQueue.isOpen() ? 0 : subQueue.closedMs()));
    const cooldowns = [...this.#cooldowns]
      .filter(([{ isIdleClass }]) => !isIdleClass)
      .map(([, { untilMs }]) => Math.max(0, untilMs - nowMs));
    return closed.length + cooldowns.length === 0 ? 0 : Math.min(...closed, ...cooldowns);
  }

  /** How long until time alone opens the sub-queues with waiting requests. */
  #closedSpans(): readonly number[] {
    const interactive = this.waiting === 0 ? [] : spansOf(this.#queue);
    const idle = this.#idle;
    return idle?.waiting ? [...interactive, ...spansOf(idle.queue), ...idle.spans(this.#queue)] : interactive;
  }

  #planWake(spans: readonly number[]): void {
    if (!this.#hasWaiting || spans.length === 0) return this.#stopWaking();
    const atMs = this.#clock.elapsed() + Math.min(...spans);
    if (this.#wakeTimer && Math.abs(this.#wakeAtMs - atMs) < 1) return;
    this.#stopWaking();
    this.#wakeAtMs = atMs;
    this.#wakeTimer = this.#clock.after(Math.max(1, Math.ceil(atMs - this.#clock.elapsed())), () => {
      this.#wakeTimer = undefined;
      this.recheck();
    });
  }

  #stopWaking(): void {
    if (!this.#wakeTimer) return;
    this.#clock.cancel(this.#wakeTimer);
    this.#wakeTimer = undefined;
  }
}

/** How long until time alone opens the sub-queues that are closed. */
function spansOf(queue: FairQueue): readonly number[] {
  return queue.subQueues.map((subQueue) => subQueue.closedMs()).filter((ms) => ms > 0);
}
