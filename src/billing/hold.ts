import type { Nano } from '../core/money.ts';
import type { Settlement } from './settle.ts';

/** Whose money is held, and for which request. */
export interface HoldName {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly priceVersion: string;
  /** What the key may spend in all; no cap of its own if not said. */
  readonly spendCap?: Nano | undefined;
}

/** Money set aside for one request. It is posted or voided, once; whatever comes second changes nothing. */
export interface Hold {
  readonly amount: Nano;
  /** From now on a crash of this process is charged up to what this says at the last checkpoint. */
  watch(costSoFar: () => Nano): void;
  /** Charges what the request cost. Resolves when that is durable. */
  post(cost: Nano): Promise<void>;
  /** The request cost nothing. */
  void(): void;
}

interface HoldParts {
  readonly at: number;
  settle(charge: Omit<Settlement, 'processId'>): Promise<void>;
  over(spent: Nano): void;
}

export class OpenHold implements Hold {
  readonly name: HoldName;
  readonly amount: Nano;
  readonly #parts: HoldParts;
  #ending: Promise<void> | undefined;
  #costSoFar: (() => Nano) | undefined;

  constructor(name: HoldName, amount: Nano, parts: HoldParts) {
    this.name = name;
    this.amount = amount;
    this.#parts = parts;
  }

  watch(costSoFar: () => Nano): void {
    this.#costSoFar = costSoFar;
  }

  get costSoFar(): Nano {
    return this.#ending ? 0n : (this.#costSoFar?.() ?? 0n);
  }

  post(cost: Nano): Promise<void> {
    this.#ending ??= this.#post(cost);
    return this.#ending;
  }

  void(): void {
    if (this.#ending) return;
    this.#ending = Promise.resolve();
    this.#parts.over(0n);
  }

  async #post(cost: Nano): Promise<void> {
    if (cost > 0n) {
      const { at } = this.#parts;
      const { requestId, accountId, keyId, priceVersion } = this.name;
      const name = { requestId, accountId, keyId, priceVersion };
      const charge = { ...name, held: this.amount, cost, by: 'gateway' as const, reason: 'request', at };
      await this.#parts.settle(charge);
    }
    this.#parts.over(cost);
  }
}
