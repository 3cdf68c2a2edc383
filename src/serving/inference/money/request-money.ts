import type { UsageBounds } from '../../../money/billing/ledger/cost.ts';
import type { Hold } from '../../../money/billing/wallet/hold.ts';
import { assert } from 'chat-formats/assert.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { Caller, KeyHolder } from '../../../core/caller.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { Nano } from '../../../core/money.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import { Bill, isGivenUp } from './bill.ts';
import { learnUsage } from '../demand.ts';
import { holdMoney } from './held-money.ts';
import { type LateHold, lateHold } from './late-hold.ts';
import type { OutcomeDetails } from '../inference-outcome.ts';
import type { InferenceRequest, StartedInference, InferenceParts, InferenceInput } from '../inference-input.ts';
import { mostItCosts, maxUsage } from './max-usage.ts';
import { requireAccess } from '../require-access.ts';
import { withModels } from './usage-parts.ts';
import { UsageMeter } from '../tokens/usage-meter.ts';

/** The money of one request: one hold for all models tried, and the bill of the current model. */
export class RequestMoney {
  readonly #parts: InferenceParts;
  readonly #input: InferenceInput;
  #caller: Caller;
  #hold: Hold | undefined;
  /** The hold of a request of the idle class. */
  #late: LateHold | undefined;
  #bill: Bill | undefined;
  #named: ChatRequest['named'];
  /** One for each model tried, in order. */
  readonly #bills: { readonly model: string; readonly bill: Bill }[] = [];

  constructor(parts: InferenceParts, input: InferenceInput) {
    this.#parts = parts;
    this.#input = input;
    this.#caller = input.caller;
  }

  get bill(): Bill | undefined {
    return this.#bill;
  }

  /** Holds the money of a request of the idle class, which has a slot now; undefined if it needs no call. */
  get pay(): (() => Promise<void>) | undefined {
    const late = this.#late;
    return late && (() => late.open());
  }

  /** The caller, with the key as confirmed by the store if it was. */
  get caller(): Caller {
    return this.#caller;
  }

  /** Takes over the hold and the bill of a request from the fast path. */
  takeOver({ hold, bill, model }: StartedInference): Bill {
    this.#setHold(hold);
    bill.setAbortCheck(this.#isGivenUp);
    return this.#addBill(model, bill);
  }

  /**
   * Opens the hold of the request, or widens it before a more expensive model or a re-prompt. `owed` is the cost of
   * discarded answers. No model may be called before this resolves, and of the idle class, not before `pay` does.
   */
  async ensureHeld({ model, request }: InferenceRequest, deadlineMs: number, owed: Nano = 0n): Promise<void> {
    this.#named = request.named;
    const amount = owed + mostItCosts(model, request);
    const hold = this.#hold;
    if (!hold || this.#late?.isOpen === false) {
      const confirmed = (key: KeyHolder): void => this.#confirmed(key, model);
      const holdRequest = { model, amount, bytes: request.wire.bytes, deadlineMs, confirmed };
      if (!this.#input.idle) return this.#setHold(await holdMoney(this.#parts, this.#input, holdRequest));
      this.#late = lateHold(this.#parts, this.#input, holdRequest);
      return this.#setHold(this.#late);
    }
    await hold.widen(amount, { deadlineMs, signal: this.#input.signal });
    assert(hold.amount >= amount, 'the hold covers the maximum cost of the model');
  }

  /** Opens a bill for a model, at its price. */
  billFor({ model, request }: InferenceRequest): Bill {
    const { caller } = this.#input;
    const hold = this.#hold;
    assert(hold !== undefined, 'a bill needs a hold');
    hold.reprice(model.price.version);
    const { accountId } = caller.key;
    const billed = {
      accountId,
      model,
      request,
      maxUsage: maxUsage(model, request),
      hold,
      isGivenUp: this.#isGivenUp,
    };
    return this.#addBill(model, openBill(this.#parts, billed));
  }

  /**
   * Selects the bill to charge if no model answered. Discarded answers are still charged, at the price of the first
   * model that gave any, because one charge has one price. A client that left while a provider was working pays for
   * that instead. Returns the id of the charged model.
   */
  selectDiscardedBill(): string | undefined {
    if (this.#bill?.isSent) return undefined;
    const owing = this.#bills.find(({ bill }) => bill.discardedCost > 0n);
    if (!owing) return undefined;
    this.#hold?.reprice(owing.bill.price.version);
    this.#bill = owing.bill;
    return owing.model;
  }

  /** Never rejects: a request with a failed charge is still recorded, with the part that was charged. */
  async settle(): Promise<Pick<OutcomeDetails, 'receipt' | 'chargeError'>> {
    try {
      return { receipt: await this.#bill?.settle(), chargeError: undefined };
    } catch (error) {
      return { receipt: this.#bill?.partialReceipt, chargeError: error };
    }
  }

  readonly #isGivenUp = (): boolean => isGivenUp(this.#input.signal);

  #confirmed(key: KeyHolder, model: Model): void {
    const { caller, surface: on } = this.#input;
    const { catalog } = this.#parts.current();
    requireAccess(caller, key, { catalog, model, on, named: this.#named });
    this.#caller = { ...caller, key };
  }

  #addBill({ id }: Model, bill: Bill): Bill {
    this.#bill = bill;
    this.#bills.push({ model: id, bill });
    return bill;
  }

  #setHold(hold: Hold): void {
    this.#hold = hold;
    hold.whenLost(this.#input.end);
  }
}

interface BilledUsage {
  readonly accountId: string;
  readonly model: Model;
  readonly request: ChatRequest;
  readonly maxUsage: UsageBounds;
  readonly hold: Hold;
  readonly isGivenUp: () => boolean;
}

/** Opens the bill of a request with a hold. The usage of its answer updates the expected usage. */
export function openBill(
  parts: Pick<InferenceParts, 'counter' | 'expected' | 'router' | 'things' | 'onError'>,
  billed: BilledUsage,
): Bill {
  const { accountId, model, request, maxUsage: most, hold } = billed;
  const { price } = model;
  const isDiscardedFree = model.tools?.paidBy === 'gateway';
  const countTokens = (texts: readonly string[]) => parts.counter.count(texts, accountId);
  const used = (usage: Usage) => learnUsage(parts.expected, usage, billed);
  const usageMeter = new UsageMeter(request, countTokens);
  const { elapsed, now } = parts.router.clock;
  return new Bill({
    usageMeter,
    price,
    requested: request.priceOptions?.level,
    hold,
    maxUsage: most,
    isGivenUp: billed.isGivenUp,
    isDiscardedFree,
    remember: (ids, place) => {
      const remembered = parts.things.remember(accountId, ids, place).catch(parts.onError);
      return settledWithin(parts.router.clock, rememberMs, remembered);
    },
    withModels: (usage) => withModels(usage, model, request),
    otherPrices: request.named?.map((other) => other.model.price) ?? [],
    used,
    elapsed,
    now,
  });
}

/** The end of an answer waits no longer for the store. The ids are remembered later then, if the store comes back. */
const rememberMs = 2000;

function settledWithin(clock: Pick<Clock, 'after' | 'cancel'>, ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = clock.after(ms, () => late.resolve());
  return Promise.race([work, late.promise]).finally(() => clock.cancel(timer));
}
