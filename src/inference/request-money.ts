import type { UsageBounds } from '../billing/cost.ts';
import type { Hold } from '../billing/hold.ts';
import { assert } from '../core/assert.ts';
import type { Caller, KeyHolder } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { Model } from '../core/model.ts';
import type { Nano } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';
import { Bill, isGivenUp } from './bill.ts';
import { learnFrom } from './demand.ts';
import { heldMoney } from './held-money.ts';
import type { OutcomeDetails } from './inference-outcome.ts';
import type { InferenceRequest, StartedInference, InferenceParts, InferenceInput } from './inference-input.ts';
import { mostItCosts, mostItUses } from './most-it-costs.ts';
import { requireStill } from './still-allowed.ts';
import { UsageMeter } from './usage-meter.ts';

/** The money of one request: one hold, however many models are asked, and the bill of the one that is asked now. */
export class RequestMoney {
  readonly #parts: InferenceParts;
  readonly #input: InferenceInput;
  #caller: Caller;
  #hold: Hold | undefined;
  #bill: Bill | undefined;
  /** One for each model that was asked, in their order. */
  readonly #bills: { readonly model: string; readonly bill: Bill }[] = [];

  constructor(parts: InferenceParts, input: InferenceInput) {
    this.#parts = parts;
    this.#input = input;
    this.#caller = input.caller;
  }

  get bill(): Bill | undefined {
    return this.#bill;
  }

  /** Whose money it is, with the key as the store has it where that was asked. */
  get caller(): Caller {
    return this.#caller;
  }

  /** What was set aside and billed before the request came here. */
  takeOver({ hold, bill, model }: StartedInference): Bill {
    this.#isHeld(hold);
    bill.takenOver(this.#isGivenUp);
    return this.#opened(model, bill);
  }

  /**
   * One request has one hold: a dearer model is asked, or the same once more beside what is owed already, when so much more
   * could be set aside, and not before.
   */
  async setAside({ model, request }: InferenceRequest, deadlineMs: number, owed: Nano = 0n): Promise<void> {
    const amount = owed + mostItCosts(model, request);
    const hold = this.#hold;
    if (!hold) {
      const confirmed = (key: KeyHolder): void => this.#confirmed(key, model);
      const asked = { model, amount, bytes: request.wire.bytes, deadlineMs, confirmed };
      return this.#isHeld(await heldMoney(this.#parts, this.#input, asked));
    }
    await hold.widen(amount, { deadlineMs, signal: this.#input.signal });
    assert(hold.amount >= amount, 'no model is asked for more than is held');
  }

  /** The bill for what a model is asked from now on, at its price. */
  billFor({ model, request }: InferenceRequest): Bill {
    const { caller } = this.#input;
    const hold = this.#hold;
    assert(hold !== undefined, 'nothing is billed that nothing is held for');
    hold.reprice(model.price.version);
    const { accountId } = caller.key;
    const billed = {
      accountId,
      model,
      request,
      mostItUses: mostItUses(model, request),
      hold,
      isGivenUp: this.#isGivenUp,
    };
    return this.#opened(model, openBill(this.#parts, billed));
  }

  /**
   * Nobody answers. What was thrown away is owed all the same: by the first model that gave anything, since one charge has
   * one price. Only who leaves while a provider is at work owes that instead. Returns the id of the model that is charged.
   */
  failed(): string | undefined {
    if (this.#bill?.isSent) return undefined;
    const owing = this.#bills.find(({ bill }) => bill.spoiltCost > 0n);
    if (!owing) return undefined;
    this.#hold?.reprice(owing.bill.price.version);
    this.#bill = owing.bill;
    return owing.model;
  }

  /** A charge that failed is a mistake of ours; the request is recorded all the same, with what is charged for it. */
  async settled(): Promise<Pick<OutcomeDetails, 'receipt' | 'mistake'>> {
    try {
      return { receipt: await this.#bill?.settle(), mistake: undefined };
    } catch (mistake) {
      return { receipt: this.#bill?.troubled, mistake };
    }
  }

  readonly #isGivenUp = (): boolean => isGivenUp(this.#input.signal);

  #confirmed(key: KeyHolder, model: Model): void {
    const { caller, surface: on } = this.#input;
    requireStill(caller, key, { catalog: this.#parts.current().catalog, model, on });
    this.#caller = { ...caller, key };
  }

  #opened({ id }: Model, bill: Bill): Bill {
    this.#bill = bill;
    this.#bills.push({ model: id, bill });
    return bill;
  }

  #isHeld(hold: Hold): void {
    this.#hold = hold;
    hold.whenLost(this.#input.end);
  }
}

interface BilledUsage {
  readonly accountId: string;
  readonly model: Model;
  readonly request: ChatRequest;
  readonly mostItUses: UsageBounds;
  readonly hold: Hold;
  readonly isGivenUp: () => boolean;
}

/** The bill of a request that money is held for; whatever its answer uses is learned from. */
export function openBill(parts: Pick<InferenceParts, 'counter' | 'expected' | 'router'>, billed: BilledUsage): Bill {
  const { accountId, model, request, mostItUses: most, hold } = billed;
  const { price } = model;
  const isSpoiltFree = model.tools?.paidBy === 'gateway';
  const countTokens = (texts: readonly string[]) => parts.counter.count(texts, accountId);
  const used = (usage: Usage) => learnFrom(parts.expected, usage, billed);
  const tally = new UsageMeter(request, countTokens);
  const { elapsed } = parts.router.clock;
  return new Bill({ tally, price, hold, mostItUses: most, isGivenUp: billed.isGivenUp, isSpoiltFree, used, elapsed });
}
