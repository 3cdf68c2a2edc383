import { costOf } from '../billing/cost.ts';
import type { Hold } from '../billing/hold.ts';
import type { PassThroughUsage } from '../core/pass-through-call.ts';
import { type Unit, unitName } from '../core/pass-through-endpoint.ts';
import type { Price } from '../core/price.ts';
import { type Usage, unsaidUsage } from '../core/usage.ts';
import type { CallListener } from '../routing/call-listener.ts';
import { afterError, type Receipt } from './bill.ts';

interface PassThroughBillParts {
  readonly hold: Hold;
  readonly price: Price;
  /** No answer uses more, whatever a provider says. */
  readonly most: PassThroughUsage;
  /** What is used as soon as the request is sent. */
  readonly given: PassThroughUsage;
  /** Whether nobody wants the answer any more, and that is not our doing. */
  readonly isGivenUp: () => boolean;
}

/** Money held for a call that counts other things than the tokens of a conversation. Settled once. */
export class PassThroughBill implements CallListener {
  readonly price: Price;
  readonly #parts: PassThroughBillParts;
  #isSent = false;
  #settled: Promise<Receipt | undefined> | undefined;
  #troubled: Receipt | undefined;

  constructor(parts: PassThroughBillParts) {
    this.price = parts.price;
    this.#parts = parts;
    parts.hold.watch(() => (this.#isSent ? costOf(usageOf(parts.given, 'counted'), parts.price) : 0n));
  }

  /** What is charged although that has failed. */
  get troubled(): Receipt | undefined {
    return this.#troubled;
  }

  sent(): void {
    this.#isSent = true;
  }

  heardEarly(): void {}

  undone(): void {
    this.#isSent = false;
  }

  /** Charges an answer; resolves when that is durable. */
  charge(used: PassThroughUsage, source: Usage['source'], notes: readonly string[] = []): Promise<Receipt | undefined> {
    this.#settled ??= this.#post(used, source, notes);
    return this.#settled;
  }

  /** There is no answer: what was sent is charged if it was given up while a provider was at work, and nothing else. */
  close(): Promise<Receipt | undefined> {
    if (!this.#settled && !(this.#isSent && this.#parts.isGivenUp())) {
      this.#parts.hold.void();
      this.#settled = Promise.resolve(undefined);
    }
    return this.charge(this.#parts.given, 'counted', ['given up before the answer: what was sent was charged']);
  }

  async #post(used: PassThroughUsage, source: Usage['source'], notes: readonly string[]): Promise<Receipt> {
    const { hold, price, most } = this.#parts;
    const { usage, isLess } = within(used, most);
    const counted = usageOf(usage, source);
    const cost = costOf(counted, price);
    const receipt = { usage: counted, cost, notes: isLess ? [...notes, tooMuch] : notes, isOverstated: isLess };
    try {
      await hold.post(cost);
    } catch (error) {
      this.#troubled = afterError(receipt, error);
      throw error;
    }
    return receipt;
  }
}

const tooMuch = 'the provider reported more than the request can use: the most that it can use was charged';

function usageOf({ promptTokens = 0, completionTokens = 0, units }: PassThroughUsage, source: Usage['source']): Usage {
  const uses = Object.entries(units).map(([unit, count]) => [unitName(unit as Unit), count]);
  return { ...unsaidUsage, promptTokens, completionTokens, toolUses: Object.fromEntries(uses), source };
}

/** A provider's figures within what is possible. Parts of a second count as whole ones. */
function within(
  used: PassThroughUsage,
  most: PassThroughUsage,
): { readonly usage: PassThroughUsage; readonly isLess: boolean } {
  let isLess = false;
  const least = (count: number, max = 0): number => {
    isLess ||= Math.ceil(count) > max;
    return Math.min(Math.ceil(count), max);
  };
  const units = Object.entries(used.units).map(([unit, count]) => [unit, least(count, most.units[unit as Unit])]);
  const usage = {
    promptTokens: least(used.promptTokens ?? 0, most.promptTokens),
    completionTokens: least(used.completionTokens ?? 0, most.completionTokens),
    units: Object.fromEntries(units),
  };
  return { usage, isLess };
}
