import { assert } from '../core/assert.ts';
import type { AccountDemand, SlotLease, ResourceReport } from './arbiter.ts';
import { mostDemanding } from './demand-vector.ts';

/** What is asked of the queue before the slots of one upstream. */
export interface LeaseUser {
  /** How many calls the upstream takes from all processes together, as far as is known here. */
  readonly limit: number;
  readonly waiting: number;
  /** All that comes is one account's. */
  readonly isOfOne?: boolean;
  demands(): readonly AccountDemand[];
  /** More may be let in than before. */
  lookAgain(): void;
  /** What other processes do at the upstream. */
  heard(elsewhere: Pick<SlotLease, 'elsewhere' | 'accounts'>): void;
}

/** What the slots of one upstream know of the leases of their process. */
export interface LeaseTerm {
  readonly state: LeaseState;
  /** How many processes shared at the last reply; 0 before the first. */
  readonly processes: number;
  /** Whether those who are cut off as well have had time to let their answers end. */
  readonly isLong: boolean;
  /** Somebody needs a slot, or a slot is to be given to somebody who waits. */
  reportSoon(): void;
}

/** `lapsed` is a lease that has ended while nobody knows yet whether the arbiter is away; `alone` is when it is. */
export type LeaseState = 'leased' | 'lapsed' | 'alone';

/** The slots that this process may use of one upstream: what it has leased, and without an arbiter its own part of the limit. */
export class LeasedSlots {
  readonly name: string;
  readonly #term: LeaseTerm;
  #user: LeaseUser | undefined;
  #isRetired = false;
  #taken = 0;
  #may = 0;
  /** What the report that is under way says: until it is answered, no more is used. */
  #claimed = Number.POSITIVE_INFINITY;
  #isWaitedFor = false;
  #hasAsked = false;

  constructor(name: string, term: LeaseTerm) {
    this.name = name;
    this.#term = term;
  }

  /** How many may run here at once. */
  get limit(): number {
    return Math.min(this.#leased, this.whole, this.#claimed);
  }

  /** How many may run at once in all processes together. */
  get whole(): number {
    return this.#user?.limit ?? 0;
  }

  get running(): number {
    return this.#taken;
  }

  /** Takes a slot, if one is free. */
  take(): boolean {
    if (this.#taken >= this.limit) {
      this.ask();
      return false;
    }
    this.#taken += 1;
    return true;
  }

  give(): void {
    assert(this.#taken > 0, 'a slot that nobody has is not given back');
    this.#taken -= 1;
    if (this.#isWaitedFor && this.#taken >= this.#may) this.#term.reportSoon();
  }

  /** How many are taken, where whoever uses them decides that and only keeps to the limit for what is new. */
  counted(running: number): void {
    const isFewer = running < this.#taken;
    this.#taken = running;
    if (isFewer && this.#isWaitedFor && running >= this.#may) this.#term.reportSoon();
  }

  /** The queue that uses the slots. One that was before it may go on with them; it is no longer spoken for. */
  use(user: LeaseUser): void {
    this.#user = user;
    this.takeUp();
  }

  takeUp(): void {
    this.#isRetired = false;
    this.#term.reportSoon();
  }

  /** The upstream is no longer in use, but for what still runs and waits. */
  retire(): void {
    this.#isRetired = true;
  }

  get isInUse(): boolean {
    return this.#user !== undefined && (!this.#isRetired || this.#taken + this.#user.waiting > 0);
  }

  /** From now on nobody speaks for it: nothing of it is leased. */
  drop(): void {
    this.#may = 0;
  }

  /** Somebody needs a slot. Once: whoever waits after that is told of at the usual times. */
  ask(): void {
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    this.#term.reportSoon();
  }

  /** Somebody waits who has nothing here yet. */
  newcomer(): void {
    this.#term.reportSoon();
  }

  /** What is said of it in a report that is sent now. */
  claim(process: string): ResourceReport {
    const { waiting = 0 } = this.#user ?? {};
    const has = Math.max(this.limit, this.#taken);
    this.#claimed = has;
    // It counts from now on, also if nobody hears whether it was heard.
    this.#may = Math.min(this.#may, has);
    this.#hasAsked = waiting > 0;
    const accounts = mostDemanding(this.#user?.demands() ?? [], process);
    const report = { name: this.name, limit: this.whole, has, running: this.#taken, waiting, accounts };
    return this.#user?.isOfOne ? { ...report, isOfOne: true } : report;
  }

  /** The answer to the last report; `undefined` when there was none. */
  answered(lease: SlotLease | undefined): void {
    const claimed = this.#claimed;
    this.#claimed = Number.POSITIVE_INFINITY;
    if (!lease) return;
    this.#may = lease.may;
    this.#isWaitedFor = lease.isWaitedFor && lease.may < claimed;
    if (this.limit > this.#taken) this.#hasAsked = false;
    this.#user?.heard(lease);
    if (this.#isWaitedFor && Math.max(lease.may, this.#taken) < claimed) this.#term.reportSoon();
  }

  lookAgain(): void {
    this.#user?.lookAgain();
  }

  get #leased(): number {
    const { state, processes, isLong } = this.#term;
    if (state === 'leased') return this.#may;
    if (state === 'lapsed') return 0;
    const share = processes === 0 ? 0 : Math.floor(this.whole / processes);
    return isLong ? share : Math.min(this.#may, share);
  }
}
