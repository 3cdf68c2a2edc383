import { costOf } from '../billing/cost.ts';
import type { Hold } from '../billing/hold.ts';
import type { PassThroughUsage } from '../core/pass-through-call.ts';
import { type Unit, unitName } from '../core/pass-through-endpoint.ts';
import type { Price } from '../core/price.ts';
import { type Usage, unreportedUsage } from '../core/usage.ts';
import type { CallListener } from '../routing/call-listener.ts';
import { afterError, type Receipt } from './bill.ts';

interface PassThroughBillParts {
  readonly hold: Hold;
  readonly price: Price;
  /** The maximum usage. A higher report is clamped. */
  readonly most: PassThroughUsage;
  /** Usage as soon as the request is sent. */
  readonly given: PassThroughUsage;
  /** Whether the client or its account aborted the request. False if this process ended it to shut down. */
  readonly isGivenUp: () => boolean;
}

/** The hold for a pass-through call, which may use other units than tokens. Settled once. */
export class PassThroughBill implements CallListener {
  readonly price: Price;
  readonly #parts: PassThroughBillParts;
  #isSent = false;
  #settled: Promise<Receipt | undefined> | undefined;
  #partialReceipt: Receipt | undefined;

  constructor(parts: PassThroughBillParts) {
    this.price = parts.price;
    this.#parts = parts;
    parts.hold.watch(() => (this.#isSent ? costOf(usageOf(parts.given, 'counted'), parts.price) : 0n));
  }

  /** The receipt if settling failed but part of the cost was charged. */
  get partialReceipt(): Receipt | undefined {
    return this.#partialReceipt;
  }

  sent(): void {
    this.#isSent = true;
  }

  receivedEarly(): void {}

  undone(): void {
    this.#isSent = false;
  }

  /** Charges an answer. Resolves when the charge is durable. */
  charge(used: PassThroughUsage, source: Usage['source'], notes: readonly string[] = []): Promise<Receipt | undefined> {
    this.#settled ??= this.#post(used, source, notes);
    return this.#settled;
  }

  /** Settles a request without an answer. It is charged only if it was aborted while a provider worked on it. */
  close(): Promise<Receipt | undefined> {
    if (!this.#settled && !(this.#isSent && this.#parts.isGivenUp())) {
      this.#parts.hold.void();
      this.#settled = Promise.resolve(undefined);
    }
    return this.charge(this.#parts.given, 'counted', ['aborted before the answer: the request was charged']);
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
      this.#partialReceipt = afterError(receipt, error);
      throw error;
    }
    return receipt;
  }
}

const tooMuch = 'the provider reported more than the request can use: the maximum was charged';

function usageOf({ promptTokens = 0, completionTokens = 0, units }: PassThroughUsage, source: Usage['source']): Usage {
  const uses = Object.entries(units).map(([unit, count]) => [unitName(unit as Unit), count]);
  return { ...unreportedUsage, promptTokens, completionTokens, toolUses: Object.fromEntries(uses), source };
}

/** Clamps a provider's figures to the maximum. Fractions of a second round up. */
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
