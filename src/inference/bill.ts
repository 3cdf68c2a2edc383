import { ChargeError } from '../billing/charge-error.ts';
import { costOf, leastCost, type UsageBounds } from '../billing/cost.ts';
import type { Hold } from '../billing/hold.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import { assert } from '../core/assert.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Nano } from '../core/money.ts';
import type { Price } from '../core/price.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Usage } from '../core/usage.ts';
import type { CallListener } from '../routing/call-listener.ts';
import { clampedUsage } from './clamped-usage.ts';
import { sumOfUsage } from './sum-of-usage.ts';
import type { UsageMeter } from './usage-meter.ts';

/** What one answer used and cost. */
export interface Receipt {
  readonly usage: Usage;
  readonly cost: Nano;
  /** What answers used that were thrown away, where the account does not pay for them. */
  readonly unpaid?: Usage | undefined;
  /** What was odd about the provider's figures. */
  readonly notes: readonly string[];
  /** The provider reported more than the request can use. */
  readonly isOverstated?: boolean;
}

interface BillParts {
  readonly tally: UsageMeter;
  readonly price: Price;
  readonly hold: Hold;
  /** An answer is never charged for more. */
  readonly mostItUses: UsageBounds;
  /** Whether nobody wants the answer any more, and that is not our doing. */
  readonly isGivenUp: () => boolean;
  /** Whether answers that were thrown away are the operator's to pay. */
  readonly isSpoiltFree?: boolean;
  /** Hears what an answer used by its provider's report, once, if anything came of it. */
  readonly used?: (usage: Usage) => void;
  /** Milliseconds that only ever grow. */
  readonly elapsed?: () => number;
}

/**
 * Money held for an answer, and what is known of the answer so far. It is settled once, however the answer ends: with what
 * came of it, or, given up while a provider was at work on it, with the prompt that was sent.
 */
export class Bill implements CallListener {
  readonly tally: UsageMeter;
  readonly price: Price;
  readonly #parts: BillParts;
  #isGivenUp: () => boolean;
  #mostItUses: UsageBounds;
  #isSent = false;
  #hasBegun = false;
  /** What the provider has said before the first content. */
  #early: readonly StreamEvent[] = [];
  /** What answers used that were thrown away, because the model had to be asked again. */
  readonly #spoilt: Usage[] = [];
  /** What is noted of reports that said more than the request can use. */
  readonly #overstatements: string[] = [];
  #settled: Promise<Receipt | undefined> | undefined;
  #troubled: Receipt | undefined;
  #answeredMs: number | undefined;
  #settledMs: number | undefined;

  constructor(parts: BillParts) {
    this.tally = parts.tally;
    this.price = parts.price;
    this.#parts = parts;
    this.#isGivenUp = parts.isGivenUp;
    this.#mostItUses = parts.mostItUses;
    parts.hold.watch(() => this.#costAtLeast());
  }

  /** What is charged although settling has failed. */
  get troubled(): Receipt | undefined {
    return this.#troubled;
  }

  /** Whether a provider is at work on it, or has been to the end. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** When the provider had said everything, or was not listened to any more. */
  get answeredMs(): number | undefined {
    return this.#answeredMs;
  }

  /** When what it cost was durable. */
  get settledMs(): number | undefined {
    return this.#settledMs;
  }

  /** Somebody else serves the request from now on, and knows whether it is given up. */
  takenOver(isGivenUp: () => boolean): void {
    this.#isGivenUp = isGivenUp;
  }

  sent(): void {
    this.#isSent = true;
  }

  heardEarly(events: readonly StreamEvent[]): void {
    if (!this.#hasBegun) this.#early = [...this.#early, ...events];
  }

  undone(): void {
    if (this.#hasBegun) return;
    this.#isSent = false;
    this.#early = [];
  }

  /** The first content is here: from now on what is told of the answer is its tally. */
  begin(): void {
    this.#hasBegun = true;
    this.#isSent = true;
  }

  /** What is owed already for answers that were thrown away. */
  get spoiltCost(): Nano {
    const [first, ...others] = this.#spoiltToPay;
    return first ? costOf(sumOfUsage([first, ...others]), this.price) : 0n;
  }

  /**
   * The answer so far is thrown away, and what comes from now on answers another request, which uses no more than
   * `mostItUses`. False if the bill is settled meanwhile: then no provider may be asked.
   */
  async throwAway(next: ChatRequest, mostItUses: UsageBounds): Promise<boolean> {
    const { usage, notes } = this.#clamped(await this.tally.usage());
    if (this.#settled) return false;
    this.#spoilt.push(usage);
    this.#overstatements.push(...notes);
    this.#startOver(next);
    this.#mostItUses = mostItUses;
    return true;
  }

  /** Nothing has gone out of an answer that its provider broke off: it is as if it had not been asked for. */
  forget(request: ChatRequest): void {
    if (!this.#settled) this.#startOver(request);
  }

  /** Charges what was used; resolves when that is durable. No receipt for a request that no provider got to work on. */
  settle(): Promise<Receipt | undefined> {
    if (!this.#settled) {
      this.#answeredMs = this.#parts.elapsed?.();
      this.#settled = this.#charge().catch((error: unknown) => {
        // What cannot be reckoned is not charged; a charge that is on its way stays.
        this.#parts.hold.void();
        throw error;
      });
    }
    return this.#settled;
  }

  async #charge(): Promise<Receipt | undefined> {
    const { hold, used } = this.#parts;
    const isEmpty = this.tally.isEmpty;
    const isPromptOnly = isEmpty && this.#isSent && this.#isGivenUp();
    const isFree = isEmpty && !isPromptOnly;
    const spoilt = [...this.#spoiltToPay];
    if (isFree && spoilt.length === 0) hold.void();
    if (isFree && spoilt.length === 0 && !this.#hasBegun) return undefined;
    if (isPromptOnly) this.tally.see(this.#early);
    const told = this.tally.usage();
    // Only what has to be counted is waited for.
    const reported = told instanceof Promise ? await told : told;
    const { usage: last, notes } = this.#clamped(reported);
    this.#overstatements.push(...notes);
    const isOverstated = this.#overstatements.length > 0;
    if (isFree && spoilt.length === 0) return { usage: last, cost: 0n, notes, isOverstated };
    const [first = last, ...others] = isFree ? spoilt : [...spoilt, last];
    const usage = sumOfUsage([first, ...others]);
    const cost = costOf(usage, this.price);
    assert(cost >= this.spoiltCost, 'what was thrown away is charged with the rest');
    const more = [isPromptOnly && promptOnly, !isPromptOnly && this.tally.lacksToolUses && usesUnsaid];
    const said = [...this.#overstatements, ...more.filter((note) => note !== false)];
    const receipt = { usage, cost, unpaid: this.#unpaid, notes: said, isOverstated };
    try {
      await hold.post(cost, this.#reason());
    } catch (error) {
      this.#troubled = afterError(receipt, error);
      throw error;
    }
    this.#settledMs = this.#parts.elapsed?.();
    if (!isEmpty) used?.(reported);
    return receipt;
  }

  #clamped(usage: Usage): ReturnType<typeof clampedUsage> {
    return clampedUsage(usage, this.#mostItUses, this.price);
  }

  get #unpaid(): Usage | undefined {
    const [first, ...others] = this.#parts.isSpoiltFree ? this.#spoilt : [];
    return first && sumOfUsage([first, ...others]);
  }

  get #spoiltToPay(): readonly Usage[] {
    return this.#parts.isSpoiltFree ? [] : this.#spoilt;
  }

  /** What the ledger says beside the charge. */
  #reason(): string | undefined {
    if (this.#spoilt.length === 0) return undefined;
    const asked = `request; ${this.#spoilt.length} spoilt`;
    return `${asked}, ${this.#parts.isSpoiltFree ? 'paid by the gateway' : 'paid by the account'}`;
  }

  #startOver(next: ChatRequest): void {
    this.tally.startOver(next);
    this.#hasBegun = false;
    this.#isSent = false;
    this.#early = [];
  }

  /** A floor under the real cost, cheap enough to ask every few seconds. */
  #costAtLeast(): Nano {
    const spoilt = this.spoiltCost;
    const last = this.#lastCostsAtLeast();
    // Both may be rounded up; together they must not come to more than what is charged for both.
    return spoilt > 0n && last > 0n ? spoilt + last - 1n : spoilt + last;
  }

  #lastCostsAtLeast(): Nano {
    if (!this.#isSent) return 0n;
    const outputTokens = this.tally.outputTokensAtLeast;
    const told = this.tally.told ?? usageIn(this.#early);
    if (!told) return leastCost({ promptTokens: this.tally.promptTokensAtLeast, outputTokens }, this.price);
    return costOf(this.#clamped({ ...told, completionTokens: outputTokens }).usage, this.price);
  }
}

/** What an answer used and is charged, where its client had to be told of an error instead; nothing if it is not charged. */
export function afterError(receipt: Receipt, error: unknown): Receipt | undefined {
  return error instanceof ChargeError ? { ...receipt, cost: receipt.cost - error.uncharged } : undefined;
}

/** By its client or its account. Nobody pays for nothing because this process is to end. */
export function isGivenUp({ aborted, reason }: Pick<AbortSignal, 'aborted' | 'reason'>): boolean {
  return aborted && !(reason instanceof GatewayError && reason.case === 'shutting-down');
}

const usesUnsaid = 'the provider did not say how often it ran its own tools, so that none of it was charged';
const promptOnly = 'given up before the first content: the prompt was charged';

function usageIn(events: readonly StreamEvent[]): Usage | undefined {
  const event = events.findLast((each) => each.type === 'usage' || each.type === 'usage-so-far');
  return event?.usage;
}
