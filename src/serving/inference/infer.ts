import { assert } from 'chat-formats/assert.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { ReportConstraint } from 'chat-formats/chat/guarantee.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { MeasuredFallback, MeasuredConstraint } from '../../money/requests/request-measurements.ts';
import { isProviderError } from '../../money/requests/rollups/performance.ts';
import type { Attempt } from '../routing/calls/attempt.ts';
import type { OpenedStream } from '../routing/opened-stream.ts';
import { awaitContent, RefusedAnswer } from '../routing/answers/refused-answer.ts';
import type { QueueTimeout } from '../routing/routed-request.ts';
import { fallBack } from './fallback/fall-back.ts';
import { fallbackReason, fallsBackOn } from './fallback/fallback-reason.ts';
import { fitRequest } from './fit.ts';
import { fitSpending, noPlaces, placesOf } from './spending.ts';
import { type InferenceOutcome, inferenceOutcome } from './inference-outcome.ts';
import {
  type InferenceAnswer,
  type InferenceRequest,
  type StartedInference,
  deadline,
  type InferenceParts,
  type InferenceInput,
} from './inference-input.ts';
import { ModelCaller } from './model-caller.ts';
import { type ConstraintSchemas, checkConstraintSchemas } from './constraints/constraint-schemas.ts';
import { withKeySlot } from './key-slot-wait.ts';
import { RequestMoney } from './money/request-money.ts';
import { estimatedTokens } from './tokens/estimated-tokens.ts';
import { promptText } from './tokens/prompt-text.ts';

/** Starts a request for an answer. `outcome` returns its outcome, whether it succeeds or not. */
export function infer(parts: InferenceParts, input: InferenceInput): Inference {
  return new Inference(parts, input);
}

/** The part of a request that is the same for every model tried. */
interface InferenceContext extends ReturnType<InferenceParts['current']> {
  readonly parts: InferenceParts;
  readonly input: InferenceInput;
  /** When waiting has to end, for all models together. */
  readonly deadlineMs: number;
}

/** An answer without content, kept in case no fallback gives a better one. */
interface EmptyAnswerRequest extends InferenceRequest {
  readonly attempt: Attempt;
  readonly flow: EventFlow;
}

/** One chat request, from its model to the start of its answer. */
export class Inference {
  /** Resolves when the answer has begun. */
  readonly answer: Promise<InferenceAnswer>;
  readonly #startedMs: number;
  readonly #attempts: Attempt[] = [];
  /** Notes on fallback models. */
  readonly #notes: string[] = [];
  readonly #fallbacks: MeasuredFallback[] = [];
  /** Models whose providers failed. */
  readonly #failedModels: string[] = [];
  readonly #constraints: MeasuredConstraint[] = [];
  #queueTimeout: QueueTimeout | undefined;
  /** Whether the current model had a queue timeout. */
  #hasQueueTimeout = false;
  readonly #money: RequestMoney;
  #model: string | undefined;
  /** How long schema checks took. This does not count as queue time. */
  #schemasMs = 0;
  /** How long it waited for a slot of its key; undefined until it has one. */
  #keyWaitMs: number | undefined;
  /** How long it waited for a slot of its key without getting one. */
  #keyTimeoutMs: number | undefined;
  /** How long it waited for slots before its first attempt, apart from the wait of that attempt. */
  #earlyWaitMs = 0;
  #emptyAnswer: EmptyAnswerRequest | undefined;
  /** The attempt that gave the answer, if it is not the last. */
  #answered: Attempt | undefined;

  constructor(parts: InferenceParts, input: InferenceInput) {
    this.#startedMs = input.startedMs;
    this.#money = new RequestMoney(parts, input);
    this.answer = this.#open(parts, input);
  }

  /** The catalog id of the current model, once the caller was checked to have access. */
  get model(): string | undefined {
    return this.#model;
  }

  /** Whether a provider works on the request. */
  get isSent(): boolean {
    return this.#money.bill?.isSent ?? false;
  }

  /** The outcome, once the answer has ended or the request has failed. Waits for the charge, if there is one. */
  async outcome(): Promise<InferenceOutcome> {
    const charged = await this.#money.settle();
    const [attempts, notes, queueTimeout, startedMs] = [
      [...this.#attempts],
      [...this.#notes],
      this.#queueTimeout,
      this.#startedMs,
    ];
    const waits = { queueTimeout, keyWaitMs: this.#keyWaitMs ?? this.#keyTimeoutMs };
    const about = { model: this.#model, attempts, answered: this.#answered, notes, startedMs };
    const details = { ...about, ...waits, earlyWaitMs: this.#earlyWaitMs };
    const models = { fallbacks: [...this.#fallbacks], failedModels: [...this.#failedModels] };
    return inferenceOutcome({
      ...details,
      constraints: [...this.#constraints],
      ...models,
      bill: this.#money.bill,
      ...charged,
    });
  }

  /** Tries the model, then its fallbacks. If none answers, uses an answer without content or throws the first error. */
  async #open(parts: InferenceParts, input: InferenceInput): Promise<InferenceAnswer> {
    const { caller, started } = input;
    const now = parts.current();
    const model = started?.model ?? now.catalog.require(caller, input.request.model, input.surface);
    const context = { ...now, parts, input, deadlineMs: deadline(parts.router, input) };
    try {
      // No await before this line: a call that is already in flight needs a reader for its answer at once.
      return await this.#tryModel(context, model, started);
    } catch (error) {
      return (await this.#tryFallbacks(context, model, error)) ?? this.#end(withFigures(error, model, input.request));
    }
  }

  /** Tries one model: fits the request to it, holds the money, opens the answer. */
  async #tryModel(context: InferenceContext, wanted: Model, started?: StartedInference): Promise<InferenceAnswer> {
    const { input, catalog } = context;
    this.#model = wanted.id;
    this.#hasQueueTimeout = false;
    const asking = this.#money.caller;
    // A request of the fast path names nothing.
    const places = started ? undefined : placesOf(context.parts.things, input.request, asking);
    const access = { catalog, caller: asking, places: places ? await places : noPlaces };
    const fitted = fitSpending(wanted, started?.request ?? fitRequest(wanted, input.request), access);
    const { model, request } = fitted;
    this.#notes.push(...fitted.notes);
    // The gateway enforces nothing but the output cap for requests of the fast path, so they need no schemas.
    const schemas = started ? undefined : await this.#schemasFor(context, { model, request });
    const deadlineMs = Math.min(
      context.deadlineMs + this.#schemasMs,
      input.clientDeadlineMs ?? Number.POSITIVE_INFINITY,
    );
    if (!started) await this.#money.ensureHeld({ model, request }, deadlineMs);
    const bill = started ? this.#money.takeOver(started) : this.#money.billFor({ model, request });
    const report: ReportConstraint = (constraint, outcome) =>
      void this.#constraints.push({ model: model.id, constraint, outcome });
    const [money, attempts, onQueueTimeout] = [
      this.#money,
      this.#attempts,
      (wait: QueueTimeout) => this.#addQueueTimeout(wait),
    ];
    const call = {
      ...context,
      model,
      money,
      bill,
      attempts,
      report,
      onQueueTimeout,
      schemas,
      waitedMs: () => this.#waitedMs,
    };
    const caller = new ModelCaller(call, request);
    const opened = await this.#withKeySlot({ context, request, deadlineMs }, (untilMs) =>
      caller.openStream(untilMs, started?.routed),
    );
    const withContent = fallsBackOn(model, 'refusal')
      ? await this.#awaitContent(opened, context, { model, request })
      : opened;
    const { flow, candidate, isBilled } = await caller.enforce(withContent);
    bill.begin(isBilled);
    bill.answeredBy({ upstream: candidate.route.upstream, credential: candidate.credential.index });
    return { model: model.id, upstream: candidate.route.upstream, flow, meter: bill };
  }

  /** Calls `open` with a slot of the key. One is enough for all models tried. */
  #withKeySlot(
    { context, request, deadlineMs }: { context: InferenceContext; request: ChatRequest; deadlineMs: number },
    open: (deadlineMs: number) => Promise<OpenedStream>,
  ): Promise<OpenedStream> {
    const { parts, input } = context;
    if (!input.keySlot) return open(deadlineMs);
    const entered = (waitMs: number): void => {
      this.#hasQueueTimeout = false;
      this.#addEarlyWait(waitMs);
      if (this.#keyWaitMs !== undefined) return;
      this.#keyWaitMs = waitMs;
      if (waitMs >= 1) this.#notes.push(`waited ${Math.round(waitMs)} ms for a slot of its key`);
    };
    const onQueueTimeout = (waitMs: number) => void (this.#keyTimeoutMs = waitMs);
    const { clock } = parts.router;
    return withKeySlot(input, { clock, bytes: request.wire.bytes, deadlineMs, entered, onQueueTimeout }, open);
  }

  async #schemasFor(
    { parts, input, upstream }: InferenceContext,
    request: InferenceRequest,
  ): Promise<ConstraintSchemas> {
    const { accountId } = input.caller.key;
    const { elapsed } = parts.router.clock;
    const beganMs = elapsed();
    const schemas = await checkConstraintSchemas(request, { pool: parts.schemas, upstream, party: accountId });
    this.#schemasMs += elapsed() - beganMs;
    return schemas;
  }

  /** Waits for content. An answer without any is kept while fallbacks are tried. */
  async #awaitContent(
    { flow, candidate }: OpenedStream,
    { input }: InferenceContext,
    request: InferenceRequest,
  ): Promise<OpenedStream> {
    try {
      return { flow: await awaitContent(flow, (events) => this.#money.bill?.receivedEarly(events)), candidate };
    } catch (error) {
      const attempt = this.#attempts.pop();
      assert(attempt !== undefined, 'an answer has an attempt');
      if (error instanceof RefusedAnswer) this.#emptyAnswer ??= { ...request, attempt, flow: error.flow };
      const reported = error instanceof RefusedAnswer ? new GatewayError('upstream-rejected', { cause: error }) : error;
      this.#attempts.push({ ...attempt, error: reported });
      // A client that left while the provider was working pays for the prompt.
      if (!input.signal.aborted) this.#money.bill?.undone();
      throw error;
    }
  }

  async #tryFallbacks(context: InferenceContext, first: Model, failure: unknown): Promise<InferenceAnswer | undefined> {
    const { catalog, input } = context;
    const { signal } = input;
    try {
      const answer = await fallBack(first, failure, {
        find: (name) => catalog.find(this.#money.caller, name, input.surface),
        reason: (error) => (signal.aborted ? undefined : fallbackReason(error, this.#hasQueueTimeout)),
        call: (model) => this.#tryModel(context, model),
        isOver: () => signal.aborted,
        failed: (model, error) => {
          if (!signal.aborted && error instanceof GatewayError && isProviderError(error.case))
            this.#failedModels.push(model);
        },
        moved: (fallback) => void this.#fallbacks.push(fallback),
        note: (text) => void this.#notes.push(text),
      });
      if (answer) return answer;
    } catch (error) {
      this.#end(error);
    }
    this.#model = first.id;
    return this.#emptyAnswer && this.#passEmptyAnswer(this.#emptyAnswer);
  }

  /** No fallback answered: pass on the answer without content, at the price of its model. */
  #passEmptyAnswer(emptyAnswer: EmptyAnswerRequest): InferenceAnswer {
    const { model, attempt, flow } = emptyAnswer;
    this.#model = model.id;
    this.#answered = attempt;
    const bill = this.#money.billFor(emptyAnswer);
    bill.begin();
    return { model: model.id, upstream: attempt.upstream, flow, meter: bill };
  }

  get #waitedMs(): number {
    return this.#attempts.reduce((sum, { waitMs }) => sum + waitMs, this.#queueTimeout?.waitMs ?? 0);
  }

  #addQueueTimeout({ waitMs, position }: QueueTimeout): void {
    this.#hasQueueTimeout = true;
    this.#addEarlyWait(waitMs);
    const before = this.#queueTimeout;
    this.#queueTimeout = { waitMs: waitMs + (before?.waitMs ?? 0), position: before?.position ?? position };
  }

  #addEarlyWait(waitMs: number): void {
    if (this.#attempts.length === 0) this.#earlyWaitMs += waitMs;
  }

  /** Ends a failed request. `outcome` awaits the same receipt and reports an error of the charge. */
  #end(reason: unknown): never {
    this.#model = this.#money.selectDiscardedBill() ?? this.#model;
    void this.#money.bill?.settle().catch(() => undefined);
    throw reason;
  }
}

/** Adds missing token counts to a context overflow error: clients decide by them how much to compact. */
function withFigures(error: unknown, model: Model, request: ChatRequest): unknown {
  if (!(error instanceof GatewayError) || error.case !== 'context-overflow') return error;
  const tokensMax = error.overflow?.tokensMax ?? model.contextWindow;
  // The estimate may be too low, but the provider has reported that the prompt exceeds the limit.
  const estimate = () => Math.max(estimatedTokens(promptText(request)), (tokensMax ?? 0) + 1);
  const promptTokens = error.overflow?.promptTokens ?? estimate();
  return new GatewayError(error.case, { overflow: { promptTokens, tokensMax }, cause: error.cause });
}
