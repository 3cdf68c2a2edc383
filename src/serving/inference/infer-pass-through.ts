import { worstCase } from '../../money/billing/ledger/cost.ts';
import type { Hold } from '../../money/billing/wallet/hold.ts';
import type { Catalog } from '../../money/catalog/catalog.ts';
import type { Caller, KeyHolder } from '../../core/caller.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { Nano } from '../../core/money.ts';
import type {
  PassThroughAnswer,
  PassThroughRequest,
  PassThroughStream,
  PassThroughUsage,
} from '../../core/pass-through-call.ts';
import { type Unit, unitName } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { UsageSource } from 'chat-formats/chat/usage.ts';
import type { Attempt } from '../routing/calls/attempt.ts';
import type { Demand } from '../routing/fair-queue/demand.ts';
import { passOn } from '../routing/answers/pass-on.ts';
import { requestCost } from '../routing/queue/request-cost.ts';
import type { QueueTimeout } from '../routing/routed-request.ts';
import type { RouterParts } from '../routing/router-parts.ts';
import type { LineOutcome } from '../../core/line-outcome.ts';
import { isGivenUp, type Receipt } from './money/bill.ts';
import { holdMoney } from './money/held-money.ts';
import { lateHold } from './money/late-hold.ts';
import { deadline, type InferenceAnswer, type InferenceParts, type InferenceInput } from './inference-input.ts';
import { type InferenceOutcome, inferenceOutcome } from './inference-outcome.ts';
import { withKeySlot } from './key-slot-wait.ts';
import { PassThroughBill, type PassThroughReader } from './money/pass-through-bill.ts';
import { changesIn, tokensAtLeast } from './tokens/tokens-at-least.ts';
import { admissionCheck, requireAccess } from './require-access.ts';

/** A pass-through request with everything known before it is sent. */
export interface PassThroughQuery extends PassThroughRequest {
  /** The maximum usage, except for the part that depends on the model. */
  readonly maxUsage: PassThroughUsage;
  /** How many times the output cap of the model applies; 0 if the endpoint has no output tokens. */
  readonly outputCapCount: number;
  /** Units used as soon as the request is sent, tokens excluded. */
  readonly upfrontUnits: PassThroughUsage['units'];
  /** Texts to count prompt tokens from if the provider does not report them. */
  readonly countedTexts: readonly string[];
  /** The share of an upstream that the request uses, in prompt tokens. */
  readonly loadTokens: number;
  /** Notes for the record, about fields that are not forwarded. */
  readonly notes: readonly string[];
  /** The usage reported in an answer. Throws an upstream error if the body is not a valid answer. */
  readUsage(answer: PassThroughAnswer): PassThroughUsage;
  /** Creates a reader of the usage of a streamed answer. */
  reader(contentType: string): PassThroughReader;
  /** The complete answer in the client's format. */
  rewriteAnswer(answer: PassThroughAnswer, model: string): PassThroughAnswer;
}

type PassThroughInput = Omit<InferenceInput, 'surface' | 'request' | 'isJsonReply' | 'started'> & {
  readonly request: PassThroughQuery;
  /** Creates the outcome of a batch line, which is committed with the charge of its answer. */
  readonly chargedWith?: ((receipt: Receipt, body: Buffer) => Promise<LineOutcome | undefined>) | undefined;
};

/** Output tokens to hold money for if the catalog has no output cap. */
const outputTokensUnlessSaid = 32_768;

/** A streamed answer that has begun. */
type PassThroughStreamAnswer = InferenceAnswer & Pick<PassThroughStream, 'contentType'>;

/** A complete answer and its charge. */
type ChargedAnswer = PassThroughAnswer & { readonly cost: Nano };

/** One pass-through request, as `Inference` is one chat request. */
export class PassThroughInference {
  /** A complete answer is already charged; a streamed one is charged at its end. */
  readonly answer: Promise<ChargedAnswer | PassThroughStreamAnswer>;
  readonly #startedMs: number;
  readonly #attempts: Attempt[] = [];
  #queueTimeout: QueueTimeout | undefined;
  /** How long it waited for a slot of its key, whether it got one or not. */
  #keyWaitMs: number | undefined;
  /** How long it waited for slots before its first attempt, apart from the wait of that attempt. */
  #earlyWaitMs = 0;
  #bill: PassThroughBill | undefined;
  #model: string | undefined;
  readonly #notes: readonly string[];

  constructor(parts: InferenceParts, input: PassThroughInput) {
    this.#notes = input.request.notes;
    this.#startedMs = input.startedMs;
    this.answer = this.#pass(parts, input);
  }

  /** The catalog id, once the caller was checked to have access. */
  get model(): string | undefined {
    return this.#model;
  }

  /** The outcome, once the request has an answer or has failed. */
  async outcome(): Promise<InferenceOutcome> {
    const common = {
      model: this.#model,
      attempts: [...this.#attempts],
      notes: this.#notes,
      queueTimeout: this.#queueTimeout,
      bill: undefined,
    };
    const details = {
      ...common,
      keyWaitMs: this.#keyWaitMs,
      earlyWaitMs: this.#earlyWaitMs,
      startedMs: this.#startedMs,
    };
    const outcomeWith = (receipt: Receipt | undefined, error: unknown): InferenceOutcome => ({
      ...inferenceOutcome({ ...details, receipt, chargeError: error }),
      priceVersion: receipt && this.#bill?.price.version,
    });
    try {
      return outcomeWith(await this.#bill?.settle(), undefined);
    } catch (error) {
      return outcomeWith(this.#bill?.partialReceipt, error);
    }
  }

  async #pass(parts: InferenceParts, input: PassThroughInput): Promise<ChargedAnswer | PassThroughStreamAnswer> {
    const { caller, signal, request } = input;
    const { catalog, upstream } = parts.current();
    const model = catalog.require(caller, request.model, request.endpoint);
    this.#model = model.id;
    const maxUsage = maxUsageFor(model, request);
    const deadlineMs = deadline(parts.router, input);
    const access = { catalog, model, on: request.endpoint };
    const confirmed = (key: KeyHolder): void => requireAccess(caller, key, access);
    const holdRequest = { model, amount: maxCost(maxUsage, model), bytes: request.bytes, deadlineMs, confirmed };
    const late = input.idle && lateHold(parts, input, holdRequest);
    const hold = late ?? (await holdMoney(parts, input, holdRequest));
    hold.whenLost(input.end);
    const { now } = parts.router.clock;
    const bill = billOf(hold, model, { request, maxUsage, signal, now });
    this.#bill = bill;
    try {
      const onQueueTimeout = (waitMs: number) => void (this.#keyWaitMs = waitMs);
      const entered = (waitMs: number): void => {
        this.#keyWaitMs ??= waitMs;
        this.#addEarlyWait(waitMs);
      };
      const { clock } = parts.router;
      const wait = { clock, bytes: request.bytes, deadlineMs, entered, onQueueTimeout };
      const { stream, result } = await withKeySlot(input, wait, (untilMs) =>
        passOn({ ...parts.router, upstream } satisfies RouterParts, model, request, {
          demand: demandOf(input, catalog),
          signal,
          trace: input.trace,
          deadlineMs: untilMs,
          attempted: (attempt) => void this.#attempts.push(attempt),
          calls: bill,
          onQueueTimeout: (wait) => {
            this.#queueTimeout = wait;
            this.#addEarlyWait(wait.waitMs);
          },
          waits: input.waits,
          willCall: input.willCall,
          admit: admissionCheck(input, access),
          pay: late && (() => late.open()),
          read: (answer) => ({ answer, used: request.readUsage(answer) }),
        }),
      );
      if (stream) {
        bill.begin(request.reader(stream.contentType));
        return { ...stream, model: model.id, upstream: '', meter: bill };
      }
      const { answer, used } = result;
      const { promptTokens, source } = await promptOf(used, { parts, caller, request });
      const { chargedWith } = input;
      const rewritten = request.rewriteAnswer(answer, model.id);
      const outcomeOf = chargedWith && ((receipt: Receipt) => chargedWith(receipt, rewritten.body));
      const receipt = await bill.charge({ ...used, promptTokens }, source, { outcomeOf });
      return { ...rewritten, cost: receipt?.cost ?? 0n };
    } catch (error) {
      // `outcome` awaits the same receipt and reports this error.
      void bill.settle().catch(() => undefined);
      throw error;
    }
  }

  #addEarlyWait(waitMs: number): void {
    if (this.#attempts.length === 0) this.#earlyWaitMs += waitMs;
  }
}

function maxUsageFor({ maxOutputTokens }: Model, { maxUsage, outputCapCount }: PassThroughQuery): PassThroughUsage {
  return { ...maxUsage, completionTokens: outputCapCount * (maxOutputTokens ?? outputTokensUnlessSaid) };
}

function maxCost({ promptTokens = 0, completionTokens = 0, units }: PassThroughUsage, { price }: Model): Nano {
  const toolUses = Object.entries(units).map(([unit, uses]) => ({ tool: unitName(unit as Unit), uses }));
  return worstCase({ promptTokens, outputTokens: completionTokens, toolUses }, price);
}

function billOf(
  hold: Hold,
  { price }: Model,
  {
    request,
    maxUsage,
    signal,
    now,
  }: { request: PassThroughQuery; maxUsage: PassThroughUsage; signal: AbortSignal; now: () => number },
): PassThroughBill {
  const promptTokens = tokensAtLeast(request.countedTexts.reduce((sum, text) => sum + changesIn(text), 0));
  const given = { promptTokens, units: request.upfrontUnits };
  return new PassThroughBill({ hold, price, most: maxUsage, given, isGivenUp: () => isGivenUp(signal), now });
}

function demandOf({ caller, request, idle }: PassThroughInput, catalog: Catalog): Demand {
  const { accountId, keyId, packageName } = caller.key;
  const cost = requestCost(Math.ceil(request.loadTokens), 0);
  const weight = catalog.weightOf(caller);
  return { accountId, keyId: idle?.batchId ?? keyId, packageName, weight, cost, bytes: request.bytes, idle };
}

interface CountedPrompt {
  readonly promptTokens: number;
  readonly source: UsageSource;
}

/** The provider's count, otherwise the gateway's. */
async function promptOf(
  { promptTokens: reported }: PassThroughUsage,
  { parts, caller, request }: { parts: InferenceParts; caller: Caller; request: PassThroughQuery },
): Promise<CountedPrompt> {
  if (reported !== undefined) return { promptTokens: reported, source: 'upstream' };
  if (request.countedTexts.length === 0) return { promptTokens: 0, source: 'counted' };
  const { tokens, source } = await parts.counter.count([request.countedTexts.join('\n')], caller.key.accountId);
  return { promptTokens: tokens[0] ?? 0, source };
}
