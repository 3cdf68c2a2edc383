import { ChargeError } from '../../../money/billing/ledger/charge-error.ts';
import { chargeOf, leastCost, type UsageBounds } from '../../../money/billing/ledger/cost.ts';
import { cheapestPrice } from '../../../money/billing/ledger/price-at.ts';
import type { Hold } from '../../../money/billing/wallet/hold.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import { assert } from 'chat-formats/assert.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { LineOutcome } from '../../../core/line-outcome.ts';
import type { Nano } from '../../../core/money.ts';
import { unitName } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { Price, ServiceLevel } from 'chat-formats/price.ts';
import type { SplicedText } from 'chat-formats/json/spliced-text.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { ThingPlace } from '../../../core/thing-place.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import type { CallListener } from '../../routing/routed-request.ts';
import { clampUsage } from '../tokens/clamped-usage.ts';
import { sumOfUsage } from '../tokens/sum-of-usage.ts';
import type { UsageMeter } from '../tokens/usage-meter.ts';

/** Usage and cost of one answer. */
export interface Receipt {
  /** Total usage of the answers that the account pays for. */
  readonly usage: Usage;
  /** The same for each answer, because each has its own price. */
  readonly answers: readonly Usage[];
  readonly cost: Nano;
  /** Discarded answers that the account does not pay for. */
  readonly unpaid: readonly Usage[];
  /** Anomalies in the provider's usage report. */
  readonly notes: readonly string[];
  /** The provider reported more than the request can use. */
  readonly isOverstated?: boolean;
}

/** Creates the outcome of a batch line that is committed together with a charge. Called once, before the charge, also if the cost is 0. */
export type OutcomeSource = (receipt: Receipt) => Promise<LineOutcome | undefined>;

/** Measures an answer while it streams, and charges for it when it is over. */
export interface AnswerMeter {
  measure(batch: readonly StreamEvent[]): void;
  /** Whether the answer is complete except for its usage. */
  readonly isFinished: boolean;
  /** Charges once for the part received. Without a receipt, no provider worked on the request. */
  settle(isComplete?: boolean, outcomeOf?: OutcomeSource): Promise<Receipt | undefined>;
}

interface BillParts {
  readonly usageMeter: UsageMeter;
  readonly price: Price;
  /** The service level that the provider is asked for. */
  readonly requested?: ServiceLevel | undefined;
  readonly hold: Hold;
  /** The maximum that an answer is charged for. */
  readonly maxUsage: UsageBounds;
  /** Whether the client or its account aborted the request. False if this process ended it to shut down. */
  readonly isGivenUp: () => boolean;
  /** Whether the operator pays for discarded answers. */
  readonly isDiscardedFree?: boolean;
  /** Adds to the calls of an answer the models that may have made them. */
  readonly withModels?: (usage: Usage) => Usage;
  /** Remembers the ids of what the provider stores for the account. Never rejects. */
  readonly remember?: (ids: readonly string[], place: ThingPlace) => Promise<void>;
  /** The prices of the other models that the request names. */
  readonly otherPrices?: readonly Price[];
  /** Called once after the charge with the unclamped usage, unless the answer is empty. */
  readonly used?: (usage: Usage) => void;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
  /** The wall clock. */
  readonly now?: () => number;
}

/**
 * The hold for an answer, and the usage of the answer so far. Settled once, however the answer ends. It charges the
 * part received, or only the prompt if the request was aborted while a provider worked on it.
 */
export class Bill implements CallListener, AnswerMeter {
  readonly usageMeter: UsageMeter;
  readonly price: Price;
  readonly #parts: BillParts;
  #isGivenUp: () => boolean;
  #place: ThingPlace | undefined;
  #maxUsage: UsageBounds;
  #isSent = false;
  #hasBegun = false;
  /** Whether the usage meter receives the answer from an earlier stage. */
  #isMeasured = false;
  /** Events that came before the first content. */
  #early: readonly StreamEvent[] = [];
  /** Usage of answers that were discarded before a re-prompt. */
  readonly #discarded: Usage[] = [];
  /** Notes on reports of more usage than the request can have. */
  readonly #overstatements: string[] = [];
  #settled: Promise<Receipt | undefined> | undefined;
  #partialReceipt: Receipt | undefined;
  #sentAt: number | undefined;
  #answeredMs: number | undefined;
  #settledMs: number | undefined;

  constructor(parts: BillParts) {
    this.usageMeter = parts.usageMeter;
    this.price = parts.price;
    this.#parts = parts;
    this.#isGivenUp = parts.isGivenUp;
    this.#maxUsage = parts.maxUsage;
    parts.hold.watch(() => this.#costAtLeast());
  }

  get requested(): ServiceLevel | undefined {
    return this.#parts.requested;
  }

  /** The receipt if `settle` failed but part of the cost was charged. */
  get partialReceipt(): Receipt | undefined {
    return this.#partialReceipt;
  }

  /** Whether a provider works on the request, or has finished it. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** When the answer ended, or the gateway stopped reading it. */
  get answeredMs(): number | undefined {
    return this.#answeredMs;
  }

  /** When the charge was durable. */
  get settledMs(): number | undefined {
    return this.#settledMs;
  }

  /** Called when the slow path takes the request over; replaces the abort check. */
  setAbortCheck(isGivenUp: () => boolean): void {
    this.#isGivenUp = isGivenUp;
  }

  sent(): void {
    this.#isSent = true;
    this.#sentAt = this.#parts.now?.();
  }

  receivedEarly(events: readonly StreamEvent[]): void {
    if (!this.#hasBegun) this.#early = [...this.#early, ...events];
  }

  undone(): void {
    if (this.#hasBegun) return;
    this.#isSent = false;
    this.#early = [];
  }

  /**
   * The first content has arrived. From now on usage comes from the usage meter, not from the early events. If the
   * answer was measured before its constraints were enforced, only their anomalies are added.
   */
  begin(isMeasured = false): void {
    this.#hasBegun = true;
    this.#isSent = true;
    this.#isMeasured = isMeasured;
  }

  /** The credential of the provider that answers. */
  answeredBy(place: ThingPlace): void {
    this.#place = place;
  }

  measure(batch: readonly (StreamEvent | SplicedText)[]): void {
    this.usageMeter.measure(this.#isMeasured ? batch.filter(({ type }) => type === 'anomaly') : batch);
  }

  get isFinished(): boolean {
    return this.usageMeter.finish !== undefined;
  }

  /** The cost of discarded answers that the account has to pay. */
  get discardedCost(): Nano {
    return chargeOf(this.#discardedToPay, this.price, this.#parts.requested);
  }

  /**
   * Discards the answer so far. Later events belong to the request `next`, which uses no more than `maxUsage`.
   * Resolves with false if the bill was settled meanwhile; then no provider may be called.
   */
  async discard(next: ChatRequest, maxUsage: UsageBounds): Promise<boolean> {
    const { usage, notes } = this.#clamp(await this.usageMeter.usage());
    if (this.#settled) return false;
    this.#discarded.push(usage);
    this.#overstatements.push(...notes);
    this.#startOver(next);
    this.#maxUsage = maxUsage;
    return true;
  }

  /** Discards, free of charge, an answer that its provider broke off before anything of it went out. */
  forget(request: ChatRequest): void {
    if (!this.#settled) this.#startOver(request);
  }

  /** Charges the usage. Resolves when the charge is durable; without a receipt if no provider worked on the request. */
  settle(_isComplete?: boolean, outcomeOf?: OutcomeSource): Promise<Receipt | undefined> {
    if (!this.#settled) {
      this.#answeredMs = this.#parts.elapsed?.();
      this.#settled = this.#charge(outcomeOf).catch((error: unknown) => {
        // If the cost cannot be computed, nothing is charged. A charge already submitted stays.
        this.#parts.hold.void();
        throw error;
      });
    }
    return this.#settled;
  }

  async #charge(outcomeOf?: OutcomeSource): Promise<Receipt | undefined> {
    const { hold, used } = this.#parts;
    const isEmpty = this.usageMeter.isEmpty;
    const isPromptOnly = isEmpty && this.#isSent && this.#isGivenUp();
    const isFree = isEmpty && !isPromptOnly;
    const discarded = [...this.#discardedToPay];
    if (isFree && discarded.length === 0) hold.void();
    if (isFree && discarded.length === 0 && !this.#hasBegun) return undefined;
    if (isPromptOnly) this.usageMeter.measure(this.#early);
    const report = this.usageMeter.usage();
    // Await only if the tokens have to be counted.
    const reported = report instanceof Promise ? await report : report;
    const { usage: clamped, notes } = this.#clamp(reported);
    this.#overstatements.push(...notes);
    const isOverstated = this.#overstatements.length > 0;
    const unpaid = this.#parts.isDiscardedFree ? this.#discarded : [];
    if (isFree && discarded.length === 0) {
      const receipt = { usage: clamped, answers: [clamped], cost: 0n, unpaid, notes, isOverstated };
      await outcomeOf?.(receipt);
      return receipt;
    }
    const [first = clamped, ...others] = isFree ? discarded : [...discarded, clamped];
    const answers = [withRequestFee(first, this.price), ...others] as const;
    const usage = sumOfUsage(answers);
    const asked = chargeOf(answers, this.price, this.#parts.requested);
    // The counts of one call are bounded by the request; the number of calls is not.
    const isBeyond = answers.some(({ parts }) => parts !== undefined) && asked > hold.amount;
    const cost = isBeyond ? hold.amount : asked;
    assert(isBeyond || cost >= this.discardedCost, 'discarded answers are charged with the last one');
    const lastNotes = [
      isPromptOnly && promptOnly,
      !isPromptOnly && this.usageMeter.lacksToolUses && noToolUses,
      isBeyond && beyondHold,
    ];
    const allNotes = [...this.#overstatements, ...lastNotes.filter((note) => note !== false)];
    const receipt = { usage, answers, cost, unpaid, notes: allNotes, isOverstated: isOverstated || isBeyond };
    const line = await outcomeOf?.(receipt);
    const remembering = reported.stored && this.#place && this.#parts.remember?.(reported.stored, this.#place);
    try {
      await hold.post(cost, this.#reason(), line);
    } catch (error) {
      this.#partialReceipt = afterError(receipt, error);
      throw error;
    }
    this.#settledMs = this.#parts.elapsed?.();
    // The client may name them in its next request, which may reach another process. The charge never waits for it.
    if (remembering) await remembering;
    if (!isEmpty) used?.(reported);
    return receipt;
  }

  #clamp(usage: Usage): ReturnType<typeof clampUsage> {
    const sentAt = this.#sentAt;
    const calls = usage.parts && { parts: usage.parts.map((part) => ({ ...part, sentAt })) };
    const sent = { ...usage, ...calls, sentAt };
    return clampUsage(this.#parts.withModels?.(sent) ?? sent, this.#maxUsage, this.price);
  }

  get #discardedToPay(): readonly Usage[] {
    return this.#parts.isDiscardedFree ? [] : this.#discarded;
  }

  /** The reason in the ledger entry of the charge. */
  #reason(): string | undefined {
    if (this.#discarded.length === 0) return undefined;
    const reason = `request; discarded answers: ${this.#discarded.length}`;
    return `${reason}, ${this.#parts.isDiscardedFree ? 'paid by the gateway' : 'paid by the account'}`;
  }

  #startOver(next: ChatRequest): void {
    this.usageMeter.startOver(next);
    this.#hasBegun = false;
    this.#isSent = false;
    this.#early = [];
  }

  /** A lower bound of the cost, cheap enough to compute every few seconds. */
  #costAtLeast(): Nano {
    const discarded = this.discardedCost;
    const last = this.#lastCostsAtLeast();
    // Both may be rounded up. Their sum must not exceed the charge for both together.
    return discarded > 0n && last > 0n ? discarded + last - 1n : discarded + last;
  }

  #lastCostsAtLeast(): Nano {
    if (!this.#isSent) return 0n;
    const outputTokens = this.usageMeter.outputTokensAtLeast;
    const report = this.usageMeter.reported ?? usageIn(this.#early);
    // Another model may turn out to have answered.
    const prices = [this.price, ...(this.#parts.otherPrices ?? [])];
    const promptTokens = report ? 0 : this.usageMeter.promptTokensAtLeast;
    const least = (price: Price): Nano => {
      if (!report) return leastCost({ promptTokens, outputTokens }, price);
      const { usage } = this.#clamp({ ...report, parts: undefined, completionTokens: outputTokens });
      return chargeOf([usage], cheapestPrice(price));
    };
    return prices.map(least).reduce((one, other) => (other < one ? other : one));
  }
}

/** A price per request is charged once, whatever the number of answers. */
function withRequestFee(usage: Usage, { toolUses }: Price): Usage {
  if (toolUses === 'free' || toolUses[requestUnit] === undefined) return usage;
  return { ...usage, toolUses: { ...usage.toolUses, [requestUnit]: 1 } };
}

export const requestUnit = unitName('request');

/** The receipt of an answer whose charge failed with an error; undefined if nothing was charged. */
export function afterError(receipt: Receipt, error: unknown): Receipt | undefined {
  return error instanceof ChargeError ? { ...receipt, cost: receipt.cost - error.uncharged } : undefined;
}

/** Whether the client or the account aborted the request. An abort by shutdown does not count, so it is not charged. */
export function isGivenUp({ aborted, reason }: Pick<AbortSignal, 'aborted' | 'reason'>): boolean {
  return aborted && !(reason instanceof GatewayError && reason.case === 'shutting-down');
}

const noToolUses = 'the provider did not report how often it ran its own tools, so no tool use was charged';
const beyondHold = 'the calls that the provider reported cost more than the request can cost; its maximum was charged';
const promptOnly = 'aborted before the first content: the prompt was charged';

function usageIn(events: readonly StreamEvent[]): Usage | undefined {
  const event = events.findLast((each) => each.type === 'usage' || each.type === 'usage-so-far');
  return event?.usage;
}
