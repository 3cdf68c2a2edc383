import { assert } from '../core/assert.ts';
import type { AccountDemand, Lease, ResourceReport } from './arbiter.ts';
import { mostDemanding } from './demand-vector.ts';

/** What is asked of the queue before the places of one upstream. */
export interface LeaseUser {
  /** How many calls the upstream takes from all processes together, as far as is known here. */
  readonly limit: number;
  readonly waiting: number;
  readonly waitedMs: number;
  demands(): readonly AccountDemand[];
  /** More may be let in than before. */
  lookAgain(): void;
  /** What other processes do at the upstream. */
  heard(elsewhere: Pick<Lease, 'elsewhere' | 'accounts'>): void;
}

/** What the places of one upstream know of the leases of their process. */
export interface LeaseTerm {
  readonly state: LeaseState;
  /** How many processes shared at the last reply. */
  readonly processes: number;
  /** Whether those who are cut off as well have had time to let their answers end. */
  readonly isLong: boolean;
  /** Somebody needs a place, or a place is to be given to somebody who waits. */
  reportSoon(): void;
}

/** `lapsed` is a lease that has ended while nobody knows yet whether the arbiter is away; `alone` is when it is. */
export type LeaseState = 'leased' | 'lapsed' | 'alone';

/** The places that this process may use of one upstream: what it has leased, and without an arbiter its own part of the limit. */
export class LeasedPlaces {
  readonly name: string;
  readonly #term: LeaseTerm;
  readonly #users = new Set<LeaseUser>();
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
    let lowest = Number.POSITIVE_INFINITY;
    for (const { limit } of this.#users) lowest = Math.min(lowest, limit);
    return lowest === Number.POSITIVE_INFINITY ? 0 : lowest;
  }

  get running(): number {
    return this.#taken;
  }

  /** Takes a place, if one is free. */
  take(): boolean {
    if (this.#taken >= this.limit) {
      this.#ask();
      return false;
    }
    this.#taken += 1;
    return true;
  }

  give(): void {
    assert(this.#taken > 0, 'a place that nobody has is not given back');
    this.#taken -= 1;
    if (this.#isWaitedFor && this.#taken >= this.#may) this.#term.reportSoon();
  }

  /** The queue that uses the places; after a change of the configuration there may be two for a while. */
  use(user: LeaseUser): void {
    this.#users.add(user);
    this.#term.reportSoon();
  }

  /** Whether it is still worth a word: it is used, or something of it still runs. */
  get isInUse(): boolean {
    return this.#users.size > 0 || this.#taken > 0;
  }

  /** Somebody has come who has nothing here. */
  newcomer(): void {
    this.#term.reportSoon();
  }

  /** What is said of it in a report that is sent now. */
  claim(process: string): ResourceReport {
    const users = [...this.#users];
    const has = Math.max(this.limit, this.#taken);
    const waiting = users.reduce((sum, user) => sum + user.waiting, 0);
    this.#claimed = has;
    this.#hasAsked = waiting > 0;
    return {
      name: this.name,
      limit: this.whole,
      has,
      running: this.#taken,
      waiting,
      waitedMs: Math.max(0, ...users.map((user) => user.waitedMs)),
      accounts: mostDemanding(
        users.flatMap((user) => user.demands()),
        process,
      ),
    };
  }

  /** The answer to the last report; `undefined` when there was none. */
  answered(lease: Lease | undefined): void {
    const claimed = this.#claimed;
    this.#claimed = Number.POSITIVE_INFINITY;
    if (!lease) return;
    this.#may = lease.may;
    this.#isWaitedFor = lease.isWaitedFor && lease.may < claimed;
    if (this.limit > this.#taken) this.#hasAsked = false;
    for (const user of this.#users) user.heard(lease);
    if (this.#isWaitedFor && Math.max(lease.may, this.#taken) < claimed) this.#term.reportSoon();
  }

  lookAgain(): void {
    for (const user of this.#users) user.lookAgain();
  }

  get #leased(): number {
    const { state, processes, isLong } = this.#term;
    if (state === 'leased') return this.#may;
    if (state === 'lapsed') return 0;
    const share = Math.floor(this.whole / processes);
    return isLong ? share : Math.min(this.#may, share);
  }

  /** Once: whoever waits after that is told of at the usual times. */
  #ask(): void {
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    this.#term.reportSoon();
  }
}
