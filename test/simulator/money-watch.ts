import type { SpendLimit } from '../../src/core/caller.ts';
import type { Hold, HoldName } from '../../src/money/billing/wallet/hold.ts';
import { calendarSpans } from '../../src/core/time/cap-period.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Nano } from '../../src/core/money.ts';
import type { Deadline } from '../../src/core/time/deadline.ts';
import { epochMs, type Machine } from './machine.ts';
import type { SharedStore } from './shared-store.ts';
import type { World } from './world.ts';

/** A gateway returns unused money within this time, including the delay of the change feed. */
const recallMs = 2000;
/** With a healthy store, a hold is granted or refused within this time. */
const answerMs = 5000;
/** After a fault of the store or of a gateway, the rules do not apply for this time. */
const recoveryMs = 60_000;

interface HoldRequest {
  readonly name: HoldName;
  readonly amount: Nano;
  readonly machine: Machine;
  readonly sinceMs: number;
  /** When the available money was last less than the amount. */
  shortMs: number | undefined;
  /** The granted hold. It may grow. */
  hold: Hold | undefined;
  state: 'waiting' | 'held' | 'over';
}

interface Wider {
  readonly amount: Nano;
  readonly deadline: Deadline | undefined;
}

export interface WatchedHold {
  granted(hold: Hold): Hold;
  refused(error: unknown): void;
  over(): void;
}

/**
 * Watches how gateways hold the money of accounts. No request is refused while the available money covers it, and every
 * request gets its result in time.
 */
export class MoneyWatch {
  readonly #world: World;
  readonly #store: SharedStore;
  readonly #machines: readonly Machine[];
  readonly #broken: (rule: string) => void;
  readonly #open = new Set<HoldRequest>();
  readonly #spanAt = calendarSpans();

  constructor(world: World, store: SharedStore, machines: readonly Machine[], broken: (rule: string) => void) {
    this.#world = world;
    this.#store = store;
    this.#machines = machines;
    this.#broken = broken;
  }

  watch(name: HoldName, amount: Nano, machine: Machine): WatchedHold {
    const { nowMs } = this.#world;
    const request: HoldRequest = {
      name,
      amount,
      machine,
      sinceMs: nowMs,
      shortMs: undefined,
      hold: undefined,
      state: 'waiting',
    };
    this.#open.add(request);
    this.#check(request);
    return {
      granted: (hold) => {
        this.#judgeTime(request);
        request.state = 'held';
        request.hold = hold;
        return watched(hold, {
          over: () => this.#over(request),
          widen: (amount, deadline) => this.#widened(hold, { amount, deadline }, request),
        });
      },
      refused: (error) => {
        if (error instanceof GatewayError && moneyCases.has(error.case)) this.#judge(request);
        this.#over(request);
      },
      over: () => {
        this.#judgeTime(request);
        this.#over(request);
      },
    };
  }

  /** Raises a hold. The same rules apply as to a new hold. */
  async #widened(hold: Hold, { amount, deadline }: Wider, request: HoldRequest): Promise<void> {
    if (amount <= hold.amount) return hold.widen(amount, deadline);
    const more = this.watch(request.name, amount - hold.amount, request.machine);
    try {
      await hold.widen(amount, deadline);
      more.over();
    } catch (error) {
      more.refused(error);
      throw error;
    }
  }

  /** Called after every step. Records the requests that could not get their money at this moment. */
  check(): void {
    for (const request of this.#open) if (request.state === 'waiting') this.#check(request);
  }

  #check(request: HoldRequest): void {
    if (this.#reachable(request) < request.amount) request.shortMs = this.#world.nowMs;
  }

  #over(request: HoldRequest): void {
    request.state = 'over';
    this.#open.delete(request);
  }

  #judge(request: HoldRequest): void {
    this.#check(request);
    if (!this.#isCalm(request.sinceMs)) return;
    const { nowMs } = this.#world;
    const { shortMs, sinceMs, amount, name } = request;
    const isFalse = shortMs === undefined || nowMs - shortMs > recallMs;
    if (isFalse) {
      const had = this.#reachable(request);
      this.#broken(`${name.requestId} was refused ${amount} while ${had} was available`);
    }
    if (nowMs - sinceMs > answerMs) this.#broken(`${name.requestId} was refused after ${nowMs - sinceMs} ms`);
  }

  #judgeTime({ sinceMs, name }: HoldRequest): void {
    const waitedMs = this.#world.nowMs - sinceMs;
    if (waitedMs > answerMs && this.#isCalm(sinceMs))
      this.#broken(`${name.requestId} got its result after ${waitedMs} ms`);
  }

  /** True if the rules apply to a request from `sinceMs`: the store and the gateways had no fault for long enough. */
  #isCalm(sinceMs: number): boolean {
    const lastFaultMs = Math.max(this.#store.lastFaultMs, ...this.#machines.map((machine) => machine.lastFaultMs));
    return sinceMs - lastFaultMs > recoveryMs && this.#machines.every(({ state }) => state !== 'frozen');
  }

  /** The available money of the account, or the rest of one of its limits, whichever is least. */
  #reachable(request: HoldRequest): Nano {
    const limits = request.name.limits ?? [];
    const rests = limits.map((limit) => this.#spendable(request, limit));
    return rests.reduce((least, rest) => (rest < least ? rest : least), this.#reachableOf(request.name.accountId));
  }

  /**
   * The rest of a limit, without leases of gateways that cannot return them and without the amounts of other requests.
   * A request that still waits for another limit or its account's money may already have its part.
   */
  #spendable(request: HoldRequest, { scope, subjectId, amount: limit, renewal }: SpendLimit): Nano {
    const spanAt = (ms: number) => (renewal ? this.#spanAt(renewal, epochMs + ms).since : 0);
    const since = spanAt(request.sinceMs);
    const [row] = this.#store.rows(spentSince[scope], subjectId, since);
    let spendable = limit - BigInt(String(row?.['spent'] ?? 0));
    for (const { process_id: id, amount } of this.#store.rows(budgetLeasesOf, scope, subjectId, String(limit), since)) {
      if (!this.#isRunning(String(id))) spendable -= BigInt(amount as string);
    }
    const isShared = ({ name }: HoldRequest): boolean =>
      name.limits?.some((each) => each.scope === scope && each.subjectId === subjectId) === true;
    for (const other of this.#open) {
      const isOfSpan = isShared(other) && spanAt(other.sinceMs) === since;
      if (other !== request && isOfSpan && other.machine.state === 'running')
        spendable -= other.hold?.amount ?? other.amount;
    }
    return spendable;
  }

  #isRunning(processId: string): boolean {
    return this.#machines.some(({ name, state }) => state === 'running' && processId.startsWith(`${name}-`));
  }

  /** The balance without the holds of requests and without leases of gateways that cannot return them. */
  #reachableOf(accountId: string): Nano {
    const [row] = this.#store.rows(balanceOf, accountId);
    if (!row) return 0n;
    let reachable = BigInt(row['total'] as string);
    const dead = this.#store.rows(leasesOf, accountId);
    for (const { process_id: id, amount } of dead) {
      if (!this.#isRunning(String(id))) reachable -= BigInt(amount as string);
    }
    for (const { name, hold, machine, state } of this.#open) {
      if (name.accountId === accountId && state === 'held' && machine.state === 'running')
        reachable -= hold?.amount ?? 0n;
    }
    return reachable;
  }
}

/** The error cases for too little balance, or too little left of a limit. */
const moneyCases: ReadonlySet<string> = new Set(['insufficient-balance', 'key-cap-reached', 'limit-reached']);
const spent = (isCounted: string) => `select cast(-sum(amount) as text) as spent from transfers
  where ${isCounted} and at >= ? and kind in ('charge', 'charge-rest')`;
const spentSince = {
  key: spent('key_id = ?'),
  member: spent("key_id in (select id from api_keys where account_id || ' ' || member_id = ?)"),
  account: spent('account_id = ?'),
  organisation: spent('account_id in (select id from accounts where organisation_id = ?)'),
};
const budgetLeasesOf = `select process_id, cast(amount as text) as amount from budget_leases
  where scope = ? and subject_id = ? and limit_amount = cast(? as integer) and since >= ?`;
const balanceOf = 'select cast(granted + topped_up - floor as text) as total from balances where account_id = ?';
const leasesOf = 'select process_id, cast(amount as text) as amount from leases where account_id = ?';

/** The same hold, with a callback for its end and another way to widen it. */
function watched(hold: Hold, { over, widen }: { readonly over: () => void; readonly widen: Hold['widen'] }): Hold {
  return new Proxy(hold, {
    get(target, name) {
      if (name === 'widen') return widen;
      if (name === 'post')
        return async (...charge: Parameters<Hold['post']>) => {
          await target.post(...charge);
          over();
        };
      if (name === 'void')
        return () => {
          target.void();
          over();
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
