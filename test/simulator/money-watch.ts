import type { Hold, HoldName } from '../../src/billing/hold.ts';
import { GatewayError } from '../../src/core/gateway-error.ts';
import type { Nano } from '../../src/core/money.ts';
import type { Patience } from '../../src/core/patience.ts';
import type { Machine } from './machine.ts';
import type { SharedStore } from './shared-store.ts';
import type { World } from './world.ts';

/** How long money that nobody uses may take to come back from a gateway that has it, news and all. */
const recallMs = 2000;
/** Whoever asks for money of a healthy store is told within this time. */
const answerMs = 5000;
/** After the store or a gateway was in trouble, nobody is judged for so long. */
const recoveryMs = 60_000;

interface Asked {
  readonly name: HoldName;
  readonly amount: Nano;
  readonly machine: Machine;
  readonly sinceMs: number;
  /** When what could be had last did not suffice. */
  shortMs: number | undefined;
  /** What it was granted, which may grow. */
  hold: Hold | undefined;
  state: 'waiting' | 'held' | 'over';
}

interface Wider {
  readonly amount: Nano;
  readonly patience: Patience | undefined;
}

export interface WatchedAsking {
  granted(hold: Hold): Hold;
  refused(error: unknown): void;
  over(): void;
}

/**
 * Looks on while gateways hold an account's money: nobody is refused while what is free and available would do, and
 * everybody is told in time.
 */
export class MoneyWatch {
  readonly #world: World;
  readonly #store: SharedStore;
  readonly #machines: readonly Machine[];
  readonly #broken: (rule: string) => void;
  readonly #asked = new Set<Asked>();

  constructor(world: World, store: SharedStore, machines: readonly Machine[], broken: (rule: string) => void) {
    this.#world = world;
    this.#store = store;
    this.#machines = machines;
    this.#broken = broken;
  }

  asked(name: HoldName, amount: Nano, machine: Machine): WatchedAsking {
    const { nowMs } = this.#world;
    const asked: Asked = {
      name,
      amount,
      machine,
      sinceMs: nowMs,
      shortMs: undefined,
      hold: undefined,
      state: 'waiting',
    };
    this.#asked.add(asked);
    this.#look(asked);
    return {
      granted: (hold) => {
        this.#judgeTime(asked);
        asked.state = 'held';
        asked.hold = hold;
        return watched(hold, {
          over: () => this.#over(asked),
          widen: (amount, patience) => this.#widened(hold, { amount, patience }, asked),
        });
      },
      refused: (error) => {
        if (error instanceof GatewayError && error.case === 'insufficient-balance') this.#judge(asked);
        this.#over(asked);
      },
      over: () => {
        this.#judgeTime(asked);
        this.#over(asked);
      },
    };
  }

  /** More for a request that has some: it is judged like any other that asks. */
  async #widened(hold: Hold, { amount, patience }: Wider, asked: Asked): Promise<void> {
    if (amount <= hold.amount) return hold.widen(amount, patience);
    const more = this.asked(asked.name, amount - hold.amount, asked.machine);
    try {
      await hold.widen(amount, patience);
      more.over();
    } catch (error) {
      more.refused(error);
      throw error;
    }
  }

  /** After every step: remembers who could not have been served at this moment. */
  look(): void {
    for (const asked of this.#asked) if (asked.state === 'waiting') this.#look(asked);
  }

  #look(asked: Asked): void {
    if (this.#reachable(asked.name.accountId) < asked.amount) asked.shortMs = this.#world.nowMs;
  }

  #over(asked: Asked): void {
    asked.state = 'over';
    this.#asked.delete(asked);
  }

  #judge(asked: Asked): void {
    this.#look(asked);
    if (!this.#isCalm(asked.sinceMs)) return;
    const { nowMs } = this.#world;
    const { shortMs, sinceMs, amount, name } = asked;
    const isFalse = shortMs === undefined || nowMs - shortMs > recallMs;
    if (isFalse) {
      const had = this.#reachable(name.accountId);
      this.#broken(`${name.requestId} was refused ${amount} while ${had} could be had`);
    }
    if (nowMs - sinceMs > answerMs) this.#broken(`${name.requestId} was refused after ${nowMs - sinceMs} ms`);
  }

  #judgeTime({ sinceMs, name }: Asked): void {
    const waitedMs = this.#world.nowMs - sinceMs;
    if (waitedMs > answerMs && this.#isCalm(sinceMs)) this.#broken(`${name.requestId} was held after ${waitedMs} ms`);
  }

  /** Whether store and gateways have been well long enough to be judged for something that began then. */
  #isCalm(sinceMs: number): boolean {
    const troubledMs = Math.max(this.#store.troubledMs, ...this.#machines.map((machine) => machine.troubledMs));
    return sinceMs - troubledMs > recoveryMs && this.#machines.every(({ state }) => state !== 'frozen');
  }

  /** What is neither held by a request nor in the hands of a gateway that cannot give it back. */
  #reachable(accountId: string): Nano {
    const [row] = this.#store.rows(balanceOf, accountId);
    if (!row) return 0n;
    let reachable = BigInt(row['total'] as string);
    const dead = this.#store.rows(leasesOf, accountId);
    for (const { process_id: id, amount } of dead) {
      if (!this.#machines.some(({ name, state }) => state === 'running' && String(id).startsWith(`${name}-`)))
        reachable -= BigInt(amount as string);
    }
    for (const { name, hold, machine, state } of this.#asked) {
      if (name.accountId === accountId && state === 'held' && machine.state === 'running')
        reachable -= hold?.amount ?? 0n;
    }
    return reachable;
  }
}

const balanceOf = 'select cast(granted + topped_up - floor as text) as total from balances where account_id = ?';
const leasesOf = 'select process_id, cast(amount as text) as amount from leases where account_id = ?';

/** The hold as it is, and a word when it is over or wants to be wider. */
function watched(hold: Hold, { over, widen }: { readonly over: () => void; readonly widen: Hold['widen'] }): Hold {
  return new Proxy(hold, {
    get(target, name) {
      if (name === 'widen') return widen;
      if (name === 'post')
        return async (cost: Nano) => {
          await target.post(cost);
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
