import { chargeOf } from '../../../money/billing/ledger/cost.ts';
import type { Hold } from '../../../money/billing/wallet/hold.ts';
import type { PassThroughUsage } from '../../../core/pass-through-call.ts';
import { type Unit, unitName } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { Price } from 'chat-formats/price.ts';
import { type Usage, unreportedUsage } from 'chat-formats/chat/usage.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { CallListener } from '../../routing/routed-request.ts';
import { afterError, type AnswerMeter, type OutcomeSource, type Receipt } from './bill.ts';

/** Reads the usage of an answer while it streams. */
export interface PassThroughReader {
  /** The next bytes, one per character. */
  measure(bytes: string): void;
  /** The usage so far; complete once the answer has ended. */
  readonly used: PassThroughUsage;
}

interface PassThroughBillParts {
  readonly hold: Hold;
  readonly price: Price;
  /** The maximum usage. A higher report is clamped. */
  readonly most: PassThroughUsage;
  /** Usage as soon as the request is sent. */
  readonly given: PassThroughUsage;
  /** Whether the client or its account aborted the request. False if this process ended it to shut down. */
  readonly isGivenUp: () => boolean;
  /** The wall clock. */
  readonly now: () => number;
}

/** The hold for a pass-through call, which may use other units than tokens. Settled once. */
export class PassThroughBill implements CallListener, AnswerMeter {
  readonly price: Price;
  readonly #parts: PassThroughBillParts;
  #isSent = false;
  #sentAt: number | undefined;
  /** Set for a streamed answer. */
  #reader: PassThroughReader | undefined;
  #settled: Promise<Receipt | undefined> | undefined;
  #partialReceipt: Receipt | undefined;

  constructor(parts: PassThroughBillParts) {
    this.price = parts.price;
    this.#parts = parts;
    parts.hold.watch(() => (this.#isSent ? chargeOf([this.#counted(parts.given, 'counted')], parts.price) : 0n));
  }

  /** The receipt if settling failed but part of the cost was charged. */
  get partialReceipt(): Receipt | undefined {
    return this.#partialReceipt;
  }

  sent(): void {
    this.#isSent = true;
    this.#sentAt = this.#parts.now();
  }

  receivedEarly(): void {}

  undone(): void {
    this.#isSent = false;
  }

  /** A streamed answer has begun. */
  begin(reader: PassThroughReader): void {
    this.#reader = reader;
  }

  measure(batch: readonly StreamEvent[]): void {
    for (const event of batch) if (event.type === 'verbatim') this.#reader?.measure(event.text);
  }

  /** The last bytes of an answer need not wait for its charge. */
  get isFinished(): boolean {
    return false;
  }

  /** Charges an answer. Resolves when the charge is durable. */
  charge(
    used: PassThroughUsage,
    source: Usage['source'],
    {
      notes = [],
      outcomeOf,
    }: { readonly notes?: readonly string[]; readonly outcomeOf?: OutcomeSource | undefined } = {},
  ): Promise<Receipt | undefined> {
    this.#settled ??= this.#post(used, source, { notes, outcomeOf });
    return this.#settled;
  }

  /**
   * Charges for the part of a stream that was received. A request without an answer is charged only if it was aborted
   * while a provider worked on it.
   */
  settle(isComplete = false): Promise<Receipt | undefined> {
    const notes = isComplete ? [] : ['the answer broke off: the part received was charged'];
    if (this.#reader) return this.charge({ promptTokens: 0, ...this.#reader.used }, 'upstream', { notes });
    if (!this.#settled && !(this.#isSent && this.#parts.isGivenUp())) {
      this.#parts.hold.void();
      this.#settled = Promise.resolve(undefined);
    }
    return this.charge(this.#parts.given, 'counted', { notes: ['aborted before the answer: the request was charged'] });
  }

  #counted(used: PassThroughUsage, source: Usage['source']): Usage {
    return { ...usageOf(used, source), sentAt: this.#sentAt };
  }

  async #post(
    used: PassThroughUsage,
    source: Usage['source'],
    { notes, outcomeOf }: { readonly notes: readonly string[]; readonly outcomeOf?: OutcomeSource | undefined },
  ): Promise<Receipt> {
    const { hold, price, most } = this.#parts;
    const { usage, isLess } = within(used, most);
    const counted = this.#counted(usage, source);
    const cost = chargeOf([counted], price);
    const receipt = {
      usage: counted,
      answers: [counted],
      cost,
      unpaid: [],
      notes: isLess ? [...notes, tooMuch] : notes,
      isOverstated: isLess,
    };
    const line = await outcomeOf?.(receipt);
    try {
      await hold.post(cost, undefined, line);
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
