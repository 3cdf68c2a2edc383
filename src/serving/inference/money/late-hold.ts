import type { Hold } from '../../../money/billing/wallet/hold.ts';
import { assert } from 'chat-formats/assert.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { LineOutcome } from '../../../core/line-outcome.ts';
import type { Nano } from '../../../core/money.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { type HoldRequest, holdMoney, type MoneyParts, type Payer } from './held-money.ts';

/** A slot waits for money no longer than this. */
const slotMs = 10_000;

/**
 * The hold of a request of the idle class. It opens when the request has a slot: while it waits for one, other requests
 * of its account can use the money.
 */
export class LateHold implements Hold {
  readonly #take: () => Hold | Promise<Hold>;
  #hold: Hold | undefined;
  #isOver = false;
  #costSoFar: () => Nano = () => 0n;
  #onLost: (error: Error) => void = () => {};

  constructor(take: () => Hold | Promise<Hold>) {
    this.#take = take;
  }

  get isOpen(): boolean {
    return this.#hold !== undefined;
  }

  get amount(): Nano {
    return this.#hold?.amount ?? 0n;
  }

  /** Takes the money, once. No provider may be called before this resolves. Rejects if the money is missing. */
  async open(): Promise<void> {
    if (this.#hold) return;
    const hold = await this.#take();
    if (this.#isOver) {
      hold.void();
      throw new GatewayError('overloaded', { cause: new Error('the request ended before its money was held') });
    }
    hold.watch(this.#costSoFar);
    hold.whenLost(this.#onLost);
    this.#hold = hold;
  }

  watch(costSoFar: () => Nano): void {
    this.#costSoFar = costSoFar;
    this.#hold?.watch(costSoFar);
  }

  whenLost(callback: (error: Error) => void): void {
    this.#onLost = callback;
    this.#hold?.whenLost(callback);
  }

  async widen(...more: Parameters<Hold['widen']>): Promise<void> {
    assert(this.#hold !== undefined, 'only money that is held is widened');
    await this.#hold.widen(...more);
  }

  /** It opens at the price of its model. */
  reprice(priceVersion: string): void {
    this.#hold?.reprice(priceVersion);
  }

  async post(cost: Nano, reason?: string, line?: LineOutcome): Promise<void> {
    assert(this.#hold !== undefined, 'nothing is charged without a hold');
    await this.#hold.post(cost, reason, line);
  }

  void(): void {
    this.#isOver = true;
    this.#hold?.void();
  }
}

/** The parameters of `holdMoney`, which is called when the request has a slot. */
export function lateHold(
  parts: MoneyParts & { readonly router: { readonly clock: Clock } },
  payer: Payer,
  request: HoldRequest,
): LateHold {
  return new LateHold(() => {
    const deadlineMs = Math.min(request.deadlineMs, parts.router.clock.elapsed() + slotMs);
    return holdMoney(parts, payer, { ...request, deadlineMs });
  });
}
