import { assert } from '../core/assert.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { ReportConstraint } from '../core/guarantee.ts';
import type { Model } from '../core/model.ts';
import type { MeasuredFallback, MeasuredConstraint } from '../requests/measured.ts';
import { isProvidersFault } from '../requests/performance.ts';
import type { Attempt } from '../routing/attempt.ts';
import type { OpenedStream } from '../routing/reached.ts';
import { heardOut, RefusedAnswer } from '../routing/refused-answer.ts';
import type { QueueTimeout } from '../routing/routed-request.ts';
import { fallBack } from './fall-back.ts';
import { fallbackReason, fallsBackOn } from './fallback-reason.ts';
import { fitted } from './fit.ts';
import { type InferenceOutcome, inferred } from './inference-outcome.ts';
import {
  type InferenceAnswer,
  type InferenceRequest,
  type StartedInference,
  deadline,
  type InferenceParts,
  type InferenceInput,
} from './inference-input.ts';
import { Meter } from './meter.ts';
import { ModelCaller } from './model-caller.ts';
import { withFigures } from './overflow.ts';
import { type ConstraintSchemas, promisedSchemas } from './constraint-schemas.ts';
import { RequestMoney } from './request-money.ts';

/** Starts a request for an answer. `story` returns its outcome, whether it succeeds or not. */
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
interface ConstrainedRequest extends InferenceRequest {
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
  readonly #promises: MeasuredConstraint[] = [];
  #queueTimeout: QueueTimeout | undefined;
  /** Whether the current model had a queue timeout. */
  #hasQueueTimeout = false;
  readonly #money: RequestMoney;
  #model: string | undefined;
  /** How long schema checks took. This does not count as queue time. */
  #schemasMs = 0;
  /** How long it waited for a slot of its key; undefined until it has one. */
  #turnWaitMs: number | undefined;
  /** How long it waited for a slot of its key without getting one. */
  #keyTimeoutMs: number | undefined;
  #kept: ConstrainedRequest | undefined;
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
  async story(): Promise<InferenceOutcome> {
    const charged = await this.#money.settled();
    const [attempts, notes, queueTimeout, startedMs] = [
      [...this.#attempts],
      [...this.#notes],
      this.#queueTimeout,
      this.#startedMs,
    ];
    const waits = { queueTimeout, turnWaitMs: this.#turnWaitMs ?? this.#keyTimeoutMs };
    const about = { model: this.#model, attempts, answered: this.#answered, notes, ...waits, startedMs };
    const models = { fallbacks: [...this.#fallbacks], failedModels: [...this.#failedModels] };
    return inferred({ ...about, promises: [...this.#promises], ...models, bill: this.#money.bill, ...charged });
  }

  /** Tries the model, then its fallbacks. If none answers, the error of the first model is thrown. */
  async #open(parts: InferenceParts, input: InferenceInput): Promise<InferenceAnswer> {
    const { caller, begun } = input;
    const now = parts.current();
    const model = begun?.model ?? now.catalog.require(caller, input.request.model, input.surface);
    const asking = { ...now, parts, input, deadlineMs: deadline(parts.router, input) };
    try {
      // No await before this line: a call that is already in flight needs a reader for its answer at once.
      return await this.#ask(asking, model, begun);
    } catch (error) {
      return (await this.#askOthers(asking, model, error)) ?? this.#end(withFigures(error, model, input.request));
    }
  }

  /** Tries one model: fits the request to it, holds the money, opens the answer. */
  async #ask(asking: InferenceContext, model: Model, begun?: StartedInference): Promise<InferenceAnswer> {
    const { parts, input } = asking;
    this.#model = model.id;
    this.#hasQueueTimeout = false;
    const request = begun?.request ?? fitted(model, input.request);
    // The gateway enforces nothing but the output cap for requests of the fast path, so they need no schemas.
    const schemas = begun ? undefined : await this.#schemasFor(asking, { model, request });
    const deadlineMs = Math.min(asking.deadlineMs + this.#schemasMs, input.giveUpMs ?? Number.POSITIVE_INFINITY);
    if (!begun) await this.#money.setAside({ model, request }, deadlineMs);
    const bill = begun ? this.#money.takeOver(begun) : this.#money.billFor({ model, request });
    if (input.turn) await this.#turn(input, request, deadlineMs);
    const told: ReportConstraint = (promise, outcome) =>
      void this.#promises.push({ model: model.id, promise, outcome });
    const [money, attempts, gaveUp] = [this.#money, this.#attempts, (wait: QueueTimeout) => this.#gaveUp(wait)];
    const about = { ...asking, model, money, bill, attempts, told, gaveUp, schemas, waitedMs: () => this.#waitedMs };
    const asks = new ModelCaller(about, request);
    const reached = await asks.reach(deadlineMs, begun?.routed);
    const heard = fallsBackOn(model, 'refusal') ? await this.#heardOut(reached, asking, { model, request }) : reached;
    const { flow, candidate, isHeard } = await asks.keep(heard);
    const answer = new Meter(flow, bill, parts.onError, isHeard);
    return { model: model.id, upstream: candidate.route.upstream, flow: answer };
  }

  /** Waits for a slot of the key. One is enough for all models tried. */
  async #turn({ turn, signal, waits }: InferenceInput, request: ChatRequest, deadlineMs: number): Promise<void> {
    if (!turn || this.#turnWaitMs !== undefined) return;
    const gaveUp = (waitMs: number) => void (this.#keyTimeoutMs = waitMs);
    const waitMs = await turn.enter({ signal, waits, gaveUp, deadlineMs, bytes: request.wire.bytes });
    this.#turnWaitMs = waitMs;
    if (waitMs >= 1) this.#notes.push(`waited ${Math.round(waitMs)} ms for a slot of its key`);
  }

  async #schemasFor({ parts, input, upstream }: InferenceContext, asked: InferenceRequest): Promise<ConstraintSchemas> {
    const { accountId } = input.caller.key;
    const { elapsed } = parts.router.clock;
    const beganMs = elapsed();
    const schemas = await promisedSchemas(asked, { desk: parts.schemas, upstream, party: accountId });
    this.#schemasMs += elapsed() - beganMs;
    return schemas;
  }

  /** Waits for content. An answer without any is kept while fallbacks are tried. */
  async #heardOut(
    { flow, candidate }: OpenedStream,
    { input }: InferenceContext,
    asked: InferenceRequest,
  ): Promise<OpenedStream> {
    try {
      return { flow: await heardOut(flow, (events) => this.#money.bill?.heardEarly(events)), candidate };
    } catch (error) {
      const attempt = this.#attempts.pop();
      assert(attempt !== undefined, 'an answer has an attempt');
      if (error instanceof RefusedAnswer) this.#kept ??= { ...asked, attempt, flow: error.flow };
      const said = error instanceof RefusedAnswer ? new GatewayError('upstream-rejected', { cause: error }) : error;
      this.#attempts.push({ ...attempt, error: said });
      // A client that left while the provider was working pays for the prompt.
      if (!input.signal.aborted) this.#money.bill?.undone();
      throw error;
    }
  }

  async #askOthers(asking: InferenceContext, first: Model, failure: unknown): Promise<InferenceAnswer | undefined> {
    const { catalog, input } = asking;
    const { signal } = input;
    try {
      const answer = await fallBack(first, failure, {
        find: (name) => catalog.find(this.#money.caller, name, input.surface),
        reason: (error) => (signal.aborted ? undefined : fallbackReason(error, this.#hasQueueTimeout)),
        ask: (model) => this.#ask(asking, model),
        isOver: () => signal.aborted,
        failed: (model, error) => {
          if (!signal.aborted && error instanceof GatewayError && isProvidersFault(error.case))
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
    return this.#kept && this.#answerKept(asking, this.#kept);
  }

  /** No fallback answered: pass on the answer without content, at the price of its model. */
  #answerKept(asking: InferenceContext, kept: ConstrainedRequest): InferenceAnswer {
    const { model, attempt, flow } = kept;
    this.#model = model.id;
    this.#answered = attempt;
    const bill = this.#money.billFor(kept);
    return { model: model.id, upstream: attempt.upstream, flow: new Meter(flow, bill, asking.parts.onError) };
  }

  get #waitedMs(): number {
    return this.#attempts.reduce((sum, { waitMs }) => sum + waitMs, this.#queueTimeout?.waitMs ?? 0);
  }

  #gaveUp({ waitMs, position }: QueueTimeout): void {
    this.#hasQueueTimeout = true;
    const before = this.#queueTimeout;
    this.#queueTimeout = { waitMs: waitMs + (before?.waitMs ?? 0), position: before?.position ?? position };
  }

  /** Ends a failed request. `story` awaits the same receipt and reports an error of the charge. */
  #end(reason: unknown): never {
    this.#model = this.#money.failed() ?? this.#model;
    void this.#money.bill?.settle().catch(() => undefined);
    throw reason;
  }
}
