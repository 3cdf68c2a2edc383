import { anomalies } from '../core/anomaly.ts';
import { assert } from '../core/assert.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { type ConstraintName, type ReportConstraint, usualAskingAgain } from '../core/guarantee.ts';
import type { Model } from '../core/model.ts';
import type { ConstraintViolation } from '../guarantees/constraint-violation.ts';
import type { Attempt } from '../routing/attempt.ts';
import { awaitFirstContent } from '../routing/first-content.ts';
import type { OpenedStream } from '../routing/reached.ts';
import type { QueueTimeout } from '../routing/routed-request.ts';
import { type StartedRouting, openFirst } from '../routing/router.ts';
import { AskedAgainFlow } from './asked-again-flow.ts';
import type { Bill } from './bill.ts';
import { demandOf } from './demand.ts';
import { askedAgain } from './re-prompt.ts';
import { guaranteed } from './guaranteed.ts';
import { HeardFlow } from './heard-flow.ts';
import { deadline, type InferenceParts, type InferenceInput } from './inference-input.ts';
import { mostItUses } from './most-it-costs.ts';
import type { ConstraintSchemas } from './constraint-schemas.ts';
import type { RequestMoney } from './request-money.ts';
import { admission } from './still-allowed.ts';

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
  readonly told: ReportConstraint;
  /** The schemas that answers have to match, if any. */
  readonly schemas: ConstraintSchemas | undefined;
  readonly gaveUp: (wait: QueueTimeout) => void;
}

/** An answer that may go to the client unchanged. */
export interface KeptAnswer extends OpenedStream {
  /** Whether the bill already includes it. */
  readonly isHeard: boolean;
}

/**
 * Calls one model, and re-prompts it while its answers violate an enforced constraint. Each re-prompt is an ordinary
 * call: it queues for a slot and is paid from the one hold of the request.
 */
export class ModelCaller {
  readonly #asked: ModelCallInput;
  #request: ChatRequest;
  #reached: OpenedStream | undefined;
  #breakable: readonly ConstraintName[] = [];
  #further = 0;

  constructor(asked: ModelCallInput, request: ChatRequest) {
    this.#asked = asked;
    this.#request = request;
  }

  /** Opens an answer at the first provider of the model that has a slot. */
  reach(deadlineMs: number, begun?: StartedRouting): Promise<OpenedStream> {
    const { parts, input, model, bill, catalog, upstream, attempts, gaveUp } = this.#asked;
    const { caller, signal, waits, trace } = input;
    const request = this.#request;
    return openFirst({ ...parts.router, upstream }, model, request, {
      demand: demandOf(
        caller,
        { model, request, mostItUses: mostItUses(model, request) },
        { weight: catalog.weightOf(caller), expected: parts.expected },
      ),
      begun,
      trace,
      signal,
      deadlineMs,
      attempted: (attempt) => void attempts.push(attempt),
      calls: bill,
      gaveUp,
      waits,
      admit: admission(input, { catalog, model, on: input.surface }),
      countTokens: (text) => parts.counter.count([text], caller.key.accountId),
    });
  }

  /** The answer with its constraints enforced. If it may still violate one, resolves once some content is validated. */
  async keep(reached: OpenedStream): Promise<KeptAnswer> {
    const { parts, input, bill } = this.#asked;
    const first = this.#guarded(reached);
    if (this.#breakable.length === 0) return { ...reached, flow: first, isHeard: false };
    const again = (broken: ConstraintViolation) => this.#again(broken);
    const kept = (odd: ReadonlySet<string>) => this.#kept(odd);
    const flow = new AskedAgainFlow(first, { again, kept, onError: parts.onError });
    try {
      const begun = await awaitFirstContent(flow);
      return { flow: begun, candidate: (this.#reached ?? reached).candidate, isHeard: true };
    } catch (error) {
      // A client that left pays for the part received. An answer that broke off before anything went out is free.
      if (!input.signal.aborted) bill.forget(this.#request);
      throw error;
    }
  }

  #guarded(reached: OpenedStream): EventFlow {
    const { parts, model, upstream, told, bill, schemas, input } = this.#asked;
    const heard = (flow: EventFlow) => new HeardFlow(flow, bill);
    const { isAnsweredWhole } = input;
    const { clock } = parts.router;
    const promised = { model, request: this.#request, isAnsweredWhole, upstream, told, heard, schemas, clock };
    const { flow, breakable } = guaranteed(reached, promised);
    this.#reached = reached;
    this.#breakable = breakable;
    // Needed even if this provider is trusted, because the meter after this stage ignores re-prompted answers.
    return this.#further > 0 && breakable.length === 0 ? heard(flow) : flow;
  }

  async #again(broken: ConstraintViolation): Promise<EventFlow> {
    const { parts, input, model, money, bill, told, waitedMs } = this.#asked;
    input.signal.throwIfAborted();
    const { attempts: most } = model.tools ?? usualAskingAgain;
    const isLast = !broken.canBeAskedAgain || this.#further >= most;
    const next = askedAgain(this.#request, broken);
    this.#spoil(broken, isLast);
    told(broken.promise, isLast ? 'missed' : 'asked_again');
    const isOpen = await bill.throwAway(next, mostItUses(model, next));
    input.signal.throwIfAborted();
    if (isLast || !isOpen) throw promiseBroken(broken.promise);
    this.#further += 1;
    this.#request = next;
    try {
      const deadlineMs = deadline(parts.router, input, waitedMs());
      await money.setAside({ model, request: next }, deadlineMs, bill.spoiltCost);
      return this.#guarded(await this.reach(deadlineMs));
    } catch (error) {
      // The client did not send the longer request, so it must not receive an error about its size or cost.
      throw error instanceof GatewayError && ownFaults.has(error.case) ? promiseBroken(broken.promise) : error;
    }
  }

  /** Marks the last attempt as failed by a violation of the model, not by its provider. */
  #spoil({ promise }: ConstraintViolation, isLast: boolean): void {
    const { attempts } = this.#asked;
    const attempt = attempts.pop();
    assert(attempt !== undefined, 'an answer has an attempt');
    const why = `${isLast ? '' : 're-prompted, '}${promise} was violated`;
    attempts.push({ ...attempt, error: promiseBroken(promise, new Error(why)) });
  }

  #kept(odd: ReadonlySet<string>): void {
    for (const promise of this.#breakable) {
      this.#asked.told(promise, mendings[promise].some((what) => odd.has(what)) ? 'mended' : 'kept');
    }
  }
}

/** Anomalies that mean an answer was repaired before it went to the client. */
const mendings: Readonly<Record<ConstraintName, readonly string[]>> = {
  stop: [],
  max_tokens: [],
  strict: [anomalies.repairedCall],
  tool_choice: [anomalies.unaskedCall],
  json: [anomalies.repairedJson, anomalies.mendedJson, anomalies.textAroundJson],
};

const ownFaults: ReadonlySet<string> = new Set([
  'insufficient-balance',
  'key-cap-reached',
  'invalid-request',
  'context-overflow',
  'upstream-rejected',
]);

function promiseBroken(promise: ConstraintName, cause?: Error): GatewayError {
  return new GatewayError('promise-broken', { detail: details[promise], cause });
}

const further = 'The gateway re-prompted it as often as it is allowed to, or part of the answer had already been sent.';
const details: Readonly<Partial<Record<ConstraintName, string>>> = {
  strict: `The model called a function with arguments that do not match its \`strict\` schema. ${further}`,
  tool_choice: `The model did not follow \`tool_choice\`. ${further}`,
  json: `The model did not answer with the JSON that \`response_format\` requires. ${further}`,
};
