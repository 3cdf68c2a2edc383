import { assert } from 'chat-formats/assert.ts';
import { type AccountDemand, accountsMax, type ResourceReport, type SlotLease } from './arbiter.ts';

/** The queue in front of the slots of one upstream, as `LeasedSlots` uses it. */
export interface LeaseUser {
  /** How many calls the upstream accepts at once from all processes together, as far as this process has learned. */
  readonly limit: number;
  readonly waiting: number;
  /** All requests are of one account. */
  readonly isOfOne?: boolean;
  demands(): readonly AccountDemand[];
  /** Waiting requests of the idle class, which `waiting` and `demands` do not include. */
  readonly idleWaiting?: number;
  idleDemands?(): readonly AccountDemand[];
  /** Called when more requests may be admitted than before. */
  recheck(): void;
  /** Called with the demand of other processes at the upstream. */
  onDemandElsewhere(elsewhere: Pick<SlotLease, 'elsewhere' | 'accounts' | 'idle'>): void;
}

/** The lease state of this process, as the slots of one upstream use it. */
export interface LeaseTerm {
  readonly state: LeaseState;
  /** The number of processes in the last reply; 0 before the first. */
  readonly processes: number;
  /** Whether other processes that lost the arbiter too have had time to let their answers end. */
  readonly isLingerOver: boolean;
  /** Called when a request needs a slot, or when a slot can be released to a waiting process. */
  reportSoon(): void;
}

/** `lapsed`: the lease has expired, and the arbiter may or may not be away. `alone`: the arbiter is away. */
export type LeaseState = 'leased' | 'lapsed' | 'alone';

/** The slots that this process may use at one upstream: the leased ones, or without an arbiter its static share. */
export class LeasedSlots {
  readonly name: string;
  readonly #term: LeaseTerm;
  #user: LeaseUser | undefined;
  #isRetired = false;
  #taken = 0;
  #may = 0;
  /** The `has` of the report in flight: until the reply, no more slots are used. */
  #claimed = Number.POSITIVE_INFINITY;
  /** The slots for requests of the idle class, and the interactive demand with which the arbiter computed them. */
  #idleLease = { may: 0, interactive: 0 };
  #claimedInteractive = 0;
  #isWaitedFor = false;
  #hasRequested = false;

  constructor(name: string, term: LeaseTerm) {
    this.name = name;
    this.#term = term;
  }

  /** How many calls may run at once in this process. */
  get limit(): number {
    return Math.min(this.#leased, this.totalLimit, this.#claimed);
  }

  /** How many calls may run at once in all processes together. */
  get totalLimit(): number {
    return this.#user?.limit ?? 0;
  }

  get running(): number {
    return this.#taken;
  }

  /**
   * How many requests of the idle class may run, next to this many others. Each interactive request that came since the
   * report takes one of their slots at once. Without a lease they take none.
   */
  idleLimit(interactive: number): number {
    if (this.#term.state !== 'leased') return 0;
    const { may, interactive: reported } = this.#idleLease;
    return Math.min(may - Math.max(0, interactive - reported), this.limit - interactive);
  }

  /** Takes a slot. Returns the limit that allows it, which may be another one a moment later. */
  take(): number | undefined {
    const { limit } = this;
    if (this.#taken >= limit) {
      this.ask();
      return undefined;
    }
    this.#taken += 1;
    return limit;
  }

  give(): void {
    assert(this.#taken > 0, 'only a taken slot is given back');
    this.#taken -= 1;
    if (this.#isWaitedFor && this.#taken >= this.#may) this.#term.reportSoon();
  }

  /** Sets how many slots are taken, for a user that counts calls itself and applies the limit to new calls only. */
  counted(running: number): void {
    assert(running >= 0, 'a count of calls is never negative');
    const isFewer = running < this.#taken;
    this.#taken = running;
    if (isFewer && this.#isWaitedFor && running >= this.#may) this.#term.reportSoon();
  }

  /** Sets the queue that uses the slots. A previous queue may go on using them, but reports no longer include it. */
  use(user: LeaseUser): void {
    this.#user = user;
    this.takeUp();
  }

  takeUp(): void {
    this.#isRetired = false;
    this.#term.reportSoon();
  }

  /** The upstream is no longer in use, except for requests that still run or wait. */
  retire(): void {
    this.#isRetired = true;
  }

  get isInUse(): boolean {
    return (
      this.#user !== undefined &&
      (!this.#isRetired || this.#taken + this.#user.waiting + (this.#user.idleWaiting ?? 0) > 0)
    );
  }

  /** Gives up the lease: reports no longer include these slots. */
  drop(): void {
    this.#may = 0;
    this.#idleLease = { may: 0, interactive: 0 };
  }

  /** A request needs a slot. Triggers one early report; requests that wait after that are in the regular reports. */
  ask(): void {
    if (this.#hasRequested) return;
    this.#hasRequested = true;
    this.#term.reportSoon();
  }

  /** The entry of these slots in a report that is sent now. */
  claim(process: string): ResourceReport {
    const { waiting = 0 } = this.#user ?? {};
    const has = Math.max(this.limit, this.#taken);
    this.#claimed = has;
    // Counts from now on, even if the reply is lost: the arbiter may have applied the report.
    this.#may = Math.min(this.#may, has);
    this.#hasRequested = waiting > 0;
    const demands = this.#user?.demands() ?? [];
    this.#claimedInteractive = demands.reduce((sum, { running, waiting }) => sum + running + waiting, 0);
    const idle = mostDemanding(this.#user?.idleDemands?.() ?? [], process);
    return {
      name: this.name,
      limit: this.totalLimit,
      has,
      running: this.#taken,
      waiting,
      accounts: mostDemanding(demands, process),
      ...(idle.length > 0 && { idle }),
      ...(this.#user?.isOfOne && { isOfOne: true }),
    };
  }

  /** Applies the reply to the last report; `undefined` if there was none. */
  answered(lease: SlotLease | undefined): void {
    const claimed = this.#claimed;
    this.#claimed = Number.POSITIVE_INFINITY;
    if (!lease) return;
    this.#may = lease.may;
    this.#idleLease = { may: lease.idle?.may ?? 0, interactive: this.#claimedInteractive };
    this.#isWaitedFor = lease.isWaitedFor && lease.may < claimed;
    if (this.limit > this.#taken) this.#hasRequested = false;
    this.#user?.onDemandElsewhere(lease);
    if (this.#isWaitedFor && Math.max(lease.may, this.#taken) < claimed) this.#term.reportSoon();
  }

  recheck(): void {
    this.#user?.recheck();
  }

  get #leased(): number {
    const { state, processes, isLingerOver } = this.#term;
    if (state === 'leased') return this.#may;
    if (state === 'lapsed') return 0;
    const share = processes === 0 ? 0 : Math.floor(this.totalLimit / processes);
    return isLingerOver ? share : Math.min(this.#may, share);
  }
}

/** Returns the accounts with the most requests; adds up the remaining ones under a name that no account has. */
function mostDemanding(demands: readonly AccountDemand[], process: string): readonly AccountDemand[] {
  if (demands.length <= accountsMax) return demands;
  const load = ({ running, waiting }: AccountDemand): number => running + waiting;
  const inOrder = demands.toSorted((one, other) => load(other) - load(one));
  const remaining = inOrder.slice(accountsMax - 1);
  return [...inOrder.slice(0, accountsMax - 1), { ...remaining.reduce(add), id: `others of ${process}` }];
}

function add(one: AccountDemand, other: AccountDemand): AccountDemand {
  const [running, waiting] = [one.running + other.running, one.waiting + other.waiting];
  return { id: one.id, weight: one.weight + other.weight, running, waiting };
}
