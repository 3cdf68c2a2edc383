import { anomalies } from 'chat-formats/anomaly.ts';
import { assert } from 'chat-formats/assert.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { caseOf, GatewayError, lacksMoney } from 'chat-formats/gateway-error.ts';
import { type ConstraintName, type ReportConstraint, defaultRepromptSettings } from 'chat-formats/chat/guarantee.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { ConstraintViolation } from 'chat-formats/guarantees/constraint-violation.ts';
import type { Attempt } from '../routing/calls/attempt.ts';
import { awaitFirstContent } from '../routing/answers/first-content.ts';
import type { OpenedStream } from '../routing/opened-stream.ts';
import type { QueueTimeout } from '../routing/routed-request.ts';
import { type StartedRouting, openFirst } from '../routing/router.ts';
import { asOrdinary } from '../routing/fair-queue/idle-terms.ts';
import { RePromptFlow } from './constraints/re-prompt-flow.ts';
import type { Bill } from './money/bill.ts';
import { demandOf } from './demand.ts';
import { rePromptRequest } from './constraints/re-prompt.ts';
import { enforceConstraints } from './constraints/guaranteed.ts';
import { BilledFlow } from './money/billed-flow.ts';
import { deadline, type InferenceParts, type InferenceInput } from './inference-input.ts';
import { maxUsage } from './money/max-usage.ts';
import type { ConstraintSchemas } from './constraints/constraint-schemas.ts';
import type { RequestMoney } from './money/request-money.ts';
import { admissionCheck } from './require-access.ts';

interface ModelCallInput extends ReturnType<InferenceParts['current']> {
  readonly parts: InferenceParts;
  readonly input: InferenceInput;
  readonly model: Model;
  readonly money: RequestMoney;
  readonly bill: Bill;
  /** The attempts of the whole request. New ones are appended. */
  readonly attempts: Attempt[];
  /** How long the whole request has waited for slots so far. */
  readonly waitedMs: () => number;
  readonly report: ReportConstraint;
  /** The schemas that answers have to match, if any. */
  readonly schemas: ConstraintSchemas | undefined;
  readonly onQueueTimeout: (wait: QueueTimeout) => void;
}

/** An answer that may go to the client unchanged. */
export interface ConstrainedAnswer extends OpenedStream {
  /** Whether the bill already includes it. */
  readonly isBilled: boolean;
}

/**
 * Calls one model, and re-prompts it while its answers violate an enforced constraint. Each re-prompt is an ordinary
 * call: it queues for a slot and is paid from the one hold of the request.
 */
export class ModelCaller {
  readonly #call: ModelCallInput;
  #request: ChatRequest;
  #opened: OpenedStream | undefined;
  #breakable: readonly ConstraintName[] = [];
  #rePrompts = 0;

  constructor(call: ModelCallInput, request: ChatRequest) {
    this.#call = call;
    this.#request = request;
  }

  /** Opens an answer at the first provider of the model that has a slot. */
  openStream(deadlineMs: number, started?: StartedRouting): Promise<OpenedStream> {
    const { parts, input, model, money, bill, catalog, upstream, attempts, onQueueTimeout } = this.#call;
    const { caller, signal, waits, willCall, trace } = input;
    const request = this.#request;
    const idle = this.#rePrompts > 0 ? asOrdinary(input.idle) : input.idle;
    return openFirst({ ...parts.router, upstream }, model, request, {
      demand: demandOf(
        caller,
        { model, request, maxUsage: maxUsage(model, request) },
        { weight: catalog.weightOf(caller), expected: parts.expected, idle },
      ),
      started,
      trace,
      signal,
      deadlineMs,
      attempted: (attempt) => void attempts.push(attempt),
      calls: bill,
      onQueueTimeout,
      waits,
      willCall,
      admit: admissionCheck(input, { catalog, model, on: input.surface, named: request.named }),
      pay: money.pay,
      countTokens: (text) => parts.counter.count([text], caller.key.accountId),
    });
  }

  /** The answer with its constraints enforced. If it may still violate one, resolves once some content is validated. */
  async enforce(opened: OpenedStream): Promise<ConstrainedAnswer> {
    const { parts, input, bill } = this.#call;
    const first = this.#addStages(opened);
    if (this.#breakable.length === 0) return { ...opened, flow: first, isBilled: false };
    const rePrompt = (violation: ConstraintViolation) => this.#rePrompt(violation);
    const accepted = (anomalies: ReadonlySet<string>) => this.#reportAccepted(anomalies);
    const flow = new RePromptFlow(first, { rePrompt, accepted, onError: parts.onError });
    try {
      const checked = await awaitFirstContent(flow);
      return { flow: checked, candidate: (this.#opened ?? opened).candidate, isBilled: true };
    } catch (error) {
      // A client that left pays for the part received. An answer that broke off before anything went out is free.
      if (!input.signal.aborted) bill.forget(this.#request);
      throw error;
    }
  }

  #addStages(opened: OpenedStream): EventFlow {
    const { parts, model, upstream, report, bill, schemas, input } = this.#call;
    const addToBill = (flow: EventFlow) => new BilledFlow(flow, bill);
    const { isJsonReply } = input;
    const { clock } = parts.router;
    const constraints = { model, request: this.#request, isJsonReply, upstream, report, addToBill, schemas, clock };
    const { flow, breakable } = enforceConstraints(opened, constraints);
    this.#opened = opened;
    this.#breakable = breakable;
    // Needed even if this provider is trusted, because the meter after this stage ignores re-prompted answers.
    return this.#rePrompts > 0 && breakable.length === 0 ? addToBill(flow) : flow;
  }

  async #rePrompt(violation: ConstraintViolation): Promise<EventFlow> {
    const { parts, input, model, money, bill, report, waitedMs } = this.#call;
    input.signal.throwIfAborted();
    const { attempts: most } = model.tools ?? defaultRepromptSettings;
    const isLast = !violation.canBeReprompted || this.#rePrompts >= most;
    const next = rePromptRequest(this.#request, violation);
    this.#failAttempt(violation, isLast);
    report(violation.constraint, isLast ? 'violated' : 'reprompted');
    const isOpen = await bill.discard(next, maxUsage(model, next));
    input.signal.throwIfAborted();
    if (isLast || !isOpen) throw violationError(violation.constraint);
    this.#rePrompts += 1;
    this.#request = next;
    try {
      const deadlineMs = deadline(parts.router, input, waitedMs());
      await money.ensureHeld({ model, request: next }, deadlineMs, bill.discardedCost);
      return this.#addStages(await this.openStream(deadlineMs));
    } catch (error) {
      // The client did not send the longer request, so it must not receive an error about its size or cost.
      throw lacksMoney(error) || rePromptFaults.has(caseOf(error)) ? violationError(violation.constraint) : error;
    }
  }

  /** Marks the last attempt as failed by a violation of the model, not by its provider. */
  #failAttempt({ constraint }: ConstraintViolation, isLast: boolean): void {
    const { attempts } = this.#call;
    const attempt = attempts.pop();
    assert(attempt !== undefined, 'an answer has an attempt');
    const why = `${isLast ? '' : 're-prompted, '}${constraint} was violated`;
    attempts.push({ ...attempt, error: violationError(constraint, new Error(why)) });
  }

  #reportAccepted(anomalies: ReadonlySet<string>): void {
    for (const constraint of this.#breakable) {
      this.#call.report(
        constraint,
        repairAnomalies[constraint].some((what) => anomalies.has(what)) ? 'repaired' : 'met',
      );
    }
  }
}

/** Anomalies that mean an answer was repaired before it went to the client. */
const repairAnomalies: Readonly<Record<ConstraintName, readonly string[]>> = {
  stop: [],
  max_tokens: [],
  strict: [anomalies.repairedCall],
  tool_choice: [anomalies.unaskedCall],
  json: [anomalies.repairedJson, anomalies.fittedJson, anomalies.textAroundJson],
};

const rePromptFaults: ReadonlySet<string> = new Set(['invalid-request', 'context-overflow', 'upstream-rejected']);

function violationError(constraint: ConstraintName, cause?: Error): GatewayError {
  return new GatewayError('constraint-violated', { detail: details[constraint], cause });
}

const rePrompted =
  'The gateway re-prompted it as often as it is allowed to, or part of the answer had already been sent.';
const details: Readonly<Partial<Record<ConstraintName, string>>> = {
  strict: `The model called a function with arguments that do not match its \`strict\` schema. ${rePrompted}`,
  tool_choice: `The model did not follow \`tool_choice\`. ${rePrompted}`,
  json: `The model did not answer with the JSON that \`response_format\` requires. ${rePrompted}`,
};
