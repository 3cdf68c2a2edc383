import { assert, InvariantViolation } from 'chat-formats/assert.ts';
import type { Clock, Timer } from '../../core/time/clock.ts';
import type { Arbiter, HostId, ClusterMember, ArbiterReply, Report } from './arbiter.ts';
import { LeasedSlots, type LeaseState, type LeaseTerm } from './leased-slots.ts';
import { lingerMs } from './lease-book.ts';
import { SharedStateBoard } from './shared-state-board.ts';
import { within } from '../../core/time/within.ts';

const reportEveryMs = 1000;
/** A report without a reply times out after this; a later reply is ignored. */
const timeoutMs = 3000;
/** How long after its sending a failed report proves that the arbiter is away, and we were not suspended. */
const failureCountsMs = 8000;
/** Token bucket for reports between the regular ones: a burst of `most`, then one more every `everyMs`. */
const urgent = { most: 8, everyMs: 250 };

/** No request that began before an upstream was removed uses it later than this. */
const forgetAfterMs = 3_600_000;

export interface LeaseKeeperParts {
  readonly clock: Clock;
  readonly arbiter: Arbiter;
  readonly process: string;
  readonly host: HostId;
  /** Whether the process with this host id has certainly ended; never true for another machine. */
  readonly isDead?: (host: HostId) => boolean;
  /** Called when leases expire, and when they are renewed. */
  readonly changed?: (status: LeaseStatus) => void;
  /** Called with an invariant violation, here or in the arbiter. The leases then stay as they are. */
  readonly alarm?: (error: unknown) => void;
}

export interface LeaseStatus {
  readonly state: LeaseState;
  /** The number of processes in the last reply. */
  readonly processes: number;
  /** Why the last report failed; `undefined` while leased. */
  readonly error: string | undefined;
}

/**
 * Maintains the leases of this process. It reports running and waiting requests about once a second, and at once if a
 * request needs a slot. It applies the replies to the slots. At most one report is in flight.
 */
export class LeaseKeeper implements LeaseTerm {
  readonly #parts: LeaseKeeperParts;
  readonly #slots = new Map<string, LeasedSlots>();
  readonly #unusedSince = new Map<string, number>();
  readonly board = new SharedStateBoard(
    () => this.#parts.clock.elapsed(),
    () => this.reportSoon(),
  );
  #number = 0;
  #processes = 0;
  #untilMs = Number.NEGATIVE_INFINITY;
  #failure: { readonly sentMs: number; readonly error: string } | undefined;
  #endedPeers: readonly string[] = [];
  #isReporting = false;
  /** Settles when the last report was answered or has failed. */
  #lastReport: Promise<unknown> = Promise.resolve();
  #isReportPending = false;
  #isRunning = false;
  #timer: Timer | undefined;
  #budget = { tokens: urgent.most, atMs: 0 };
  #unsubscribe = (): void => {};
  #lastState: LeaseState = 'leased';

  constructor(parts: LeaseKeeperParts) {
    this.#parts = parts;
  }

  get state(): LeaseState {
    const now = this.#parts.clock.elapsed();
    if (now < this.#untilMs) return 'leased';
    return this.#failure && now - this.#failure.sentMs < failureCountsMs ? 'alone' : 'lapsed';
  }

  get processes(): number {
    return this.#processes;
  }

  get isLingerOver(): boolean {
    return this.#parts.clock.elapsed() >= this.#untilMs + lingerMs;
  }

  get status(): LeaseStatus {
    const { state, processes } = this;
    return { state, processes, error: state === 'leased' ? undefined : this.#failure?.error };
  }

  get process(): string {
    return this.#parts.process;
  }

  /** The slots of one upstream, the same for every queue that uses them. */
  slots(name: string): LeasedSlots {
    const known = this.#slots.get(name);
    if (known) return known;
    const slots = new LeasedSlots(name, this);
    this.#slots.set(name, slots);
    return slots;
  }

  /** The upstream is no longer in use, except for requests that still run or wait. */
  retire(name: string): void {
    this.#slots.get(name)?.retire();
  }

  takeUp(name: string): void {
    this.#slots.get(name)?.takeUp();
  }

  /** The slots of each process of the whole service. */
  overview(): Promise<readonly ClusterMember[]> {
    return this.#parts.arbiter.overview();
  }

  /** Resolves when the first report was answered or has failed. */
  async start(): Promise<void> {
    const { arbiter, process } = this.#parts;
    this.#isRunning = true;
    this.#unsubscribe = arbiter.subscribe((processes) => {
      if (processes.includes(process)) this.reportSoon();
    });
    await this.#report();
  }

  /** Returns all slots. First awaits the last report: applied later, it would enter the book again. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#unsubscribe();
    this.#parts.clock.cancel(this.#timer);
    const { clock } = this.#parts;
    await within(this.#lastReport, { clock, timeoutMs }).catch(() => undefined);
    await within(this.#parts.arbiter.leave(this.process), { clock, timeoutMs }).catch(() => undefined);
  }

  /** Reports at once, or as soon as the token bucket allows. */
  reportSoon(): void {
    if (this.#isReportPending || !this.#isRunning) return;
    this.#isReportPending = true;
    if (!this.#isReporting) this.#plan();
  }

  #plan(): void {
    if (!this.#isRunning) return;
    const { clock } = this.#parts;
    clock.cancel(this.#timer);
    this.#timer = clock.after(this.#isReportPending ? this.#urgentInMs() : reportEveryMs, () => void this.#report());
    this.#timer.unref();
  }

  #urgentInMs(): number {
    const now = this.#parts.clock.elapsed();
    const { tokens, atMs } = this.#budget;
    this.#budget = { tokens: Math.min(urgent.most, tokens + (now - atMs) / urgent.everyMs), atMs: now };
    return this.#budget.tokens >= 1 ? 0 : Math.ceil((1 - this.#budget.tokens) * urgent.everyMs);
  }

  async #report(): Promise<void> {
    const { clock, arbiter } = this.#parts;
    if (this.#isReportPending) this.#budget = { ...this.#budget, tokens: Math.max(0, this.#budget.tokens - 1) };
    this.#isReportPending = false;
    this.#isReporting = true;
    const sentMs = clock.elapsed();
    this.#forgetUnused(sentMs);
    const reported = [...this.#slots.values()].filter((slots) => slots.isInUse);
    try {
      const answer = arbiter.report(this.#message(reported));
      this.#lastReport = answer;
      const reply = await within(answer, { clock, timeoutMs });
      this.#applyReply(reply, sentMs, reported);
    } catch (error) {
      if (error instanceof InvariantViolation) this.#parts.alarm?.(error);
      this.#failure = { sentMs, error: error instanceof Error ? error.message : String(error) };
      for (const slots of reported) slots.answered(undefined);
    }
    this.#isReporting = false;
    this.#notifyState();
    for (const slots of reported) slots.recheck();
    this.#plan();
  }

  /** Drops the leases of unused upstreams, and forgets upstreams that have been unused for `forgetAfterMs`. */
  #forgetUnused(nowMs: number): void {
    for (const [name, slots] of this.#slots) {
      if (slots.isInUse) this.#unusedSince.delete(name);
      else {
        slots.drop();
        const sinceMs = this.#unusedSince.get(name) ?? nowMs;
        this.#unusedSince.set(name, sinceMs);
        if (nowMs - sinceMs < forgetAfterMs) continue;
        this.#slots.delete(name);
        this.#unusedSince.delete(name);
      }
    }
  }

  #message(reported: readonly LeasedSlots[]): Report {
    const { process, host } = this.#parts;
    this.#number += 1;
    return {
      process,
      host,
      number: this.#number,
      resources: reported.map((slots) => slots.claim(process)),
      dead: this.#endedPeers,
      ...this.board.toSend(),
    };
  }

  #applyReply(reply: ArbiterReply, sentMs: number, reported: readonly LeasedSlots[]): void {
    const { isDead = () => false } = this.#parts;
    for (const { may, limit } of reply.resources) assert(may >= 0 && may <= limit, 'a lease is at most the limit');
    this.#untilMs = sentMs + reply.leaseMs;
    this.#processes = reply.processes;
    this.#failure = undefined;
    const leases = new Map(reply.resources.map((lease) => [lease.name, lease]));
    for (const slots of reported) slots.answered(leases.get(slots.name));
    this.#endedPeers = reply.silent.filter(({ host }) => isDead(host)).map(({ process }) => process);
    if (this.#endedPeers.length > 0) this.reportSoon();
    this.board.applyReply(reply);
  }

  #notifyState(): void {
    const { status } = this;
    if (status.state === this.#lastState) return;
    this.#lastState = status.state;
    this.#parts.changed?.(status);
  }
}
