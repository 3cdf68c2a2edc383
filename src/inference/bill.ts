import { costOf } from '../billing/cost.ts';
import type { Hold } from '../billing/hold.ts';
import type { Nano } from '../core/money.ts';
import type { Price } from '../core/price.ts';
import type { Usage } from '../core/usage.ts';
import { clampedUsage } from './clamped-usage.ts';
import type { Tally } from './tally.ts';

/** What one answer used and cost. */
export interface Receipt {
  readonly usage: Usage;
  readonly cost: Nano;
  /** What was odd about the provider's figures. */
  readonly notes: readonly string[];
}

/** Money held for an answer, and what is known of the answer so far. It is settled once, however the answer ends. */
export class Bill {
  readonly tally: Tally;
  readonly price: Price;
  readonly #hold: Hold;
  readonly #contextWindow: number | undefined;
  readonly #used: ((usage: Usage) => void) | undefined;
  #settled: Promise<Receipt> | undefined;

  /** `used` hears what an answer used, once, if anything came of it. */
  constructor(parts: {
    tally: Tally;
    price: Price;
    hold: Hold;
    contextWindow: number | undefined;
    used?: (usage: Usage) => void;
  }) {
    this.tally = parts.tally;
    this.price = parts.price;
    this.#hold = parts.hold;
    this.#contextWindow = parts.contextWindow;
    this.#used = parts.used;
    this.#hold.watch(() => this.#costAtLeast());
  }

  /** Charges what was used; resolves when that is durable. An answer of which nothing came costs nothing. */
  settle(): Promise<Receipt> {
    this.#settled ??= this.#settle();
    return this.#settled;
  }

  async #settle(): Promise<Receipt> {
    try {
      return await this.#charge();
    } catch (error) {
      // What cannot be reckoned is not charged; a charge that is on its way stays.
      this.#hold.void();
      throw error;
    }
  }

  async #charge(): Promise<Receipt> {
    const isFree = this.tally.isEmpty;
    if (isFree) this.#hold.void();
    const { usage, notes } = clampedUsage(await this.tally.usage(), this.#contextWindow);
    if (isFree) return { usage, cost: 0n, notes };
    const cost = costOf(usage, this.price);
    await this.#hold.post(cost);
    this.#used?.(usage);
    return { usage, cost, notes };
  }

  /** A floor under the real cost, cheap enough to ask every few seconds. */
  #costAtLeast(): Nano {
    return (BigInt(this.tally.pieces) * this.price.output) / 1000n;
  }
}
