import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { Clock } from '../core/clock.ts';
import { errorTable } from '../core/error-table.ts';
import { caseOf, GatewayError } from '../core/gateway-error.ts';
import type { RequestTrace } from '../core/request-trace.ts';
import { type Exchange, isSimpleExchange } from '../http/exchange.ts';
import type { Inference } from '../inference/infer.ts';
import type { InferenceOutcome } from '../inference/inference-outcome.ts';
import { failureOf } from '../inference/recorded-attempt.ts';
import type { AttemptRecord } from '../requests/attempt-record.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { ReplyEnd } from './reply-end.ts';

/** More is not worth reading. */
const notesMax = 16;

/** Not the request itself: what is known of it may outlive what was said in it. */
interface RequestSummary extends Pick<ChatRequest, 'model' | 'userId' | 'wantsStream'> {
  /** Whether it is answered with one JSON body. */
  readonly isAnsweredWhole: boolean;
}

/** Whoever gets the answer and knows its story. */
type InferenceSummary = Pick<Inference, 'model' | 'outcome'>;

/** A request as its surface knows it. Together with how its reply ended and what inference says, it is the record. */
export class ServedRequest {
  readonly id: string;
  /** When it came, on the clock's `elapsed` scale. */
  readonly startedMs: number;
  readonly #caller: Caller;
  readonly #path: string;
  readonly #clock: Clock;
  /** When it came, by the calendar. */
  readonly startedAt: number;
  readonly #notes: string[] = [];
  #asked: RequestSummary | undefined;
  #inference: InferenceSummary | undefined;
  #model: string | undefined;
  #earlier: ServedRequest | undefined;
  #repeated: string | undefined;
  #firstByteMs: number | undefined;
  #bodyMs = 0;
  /** Its trace, if it is traced. */
  readonly trace: RequestTrace | undefined;

  constructor({ id, path }: Pick<Exchange, 'id' | 'path'>, caller: Caller, clock: Clock, trace?: RequestTrace) {
    this.trace = trace;
    this.id = id;
    this.#caller = caller;
    this.#path = path;
    this.#clock = clock;
    this.startedAt = clock.now();
    this.startedMs = clock.elapsed();
  }

  /** The catalog id of the model that answers it, as far as that is known. */
  get model(): string | undefined {
    return this.#inference?.model ?? this.#earlier?.model ?? this.#model;
  }

  asks({ model, userId, wantsStream }: Omit<RequestSummary, 'isAnsweredWhole'>, isAnsweredWhole: boolean): void {
    this.#asked = { model, userId, wantsStream, isAnsweredWhole };
  }

  isAnsweredBy(inference: InferenceSummary): void {
    this.#inference = inference;
  }

  /** It gets the answer of an earlier request: nothing is asked of a provider, nothing is charged. */
  replays(earlier: ServedRequest): void {
    this.#earlier = earlier;
    this.#asked = earlier.#asked;
  }

  /** The same, of a request to another process. */
  repeats(id: string, model: string): void {
    this.#repeated = id;
    this.#model = model;
  }

  /** The answer of the earlier request has begun to reach it. */
  answered(): void {
    this.#firstByteMs ??= this.elapsedMs;
  }

  /** All of its body is here: what did not come whole has taken its client's time, not ours. */
  bodyCame(exchange: Exchange): void {
    if (!isSimpleExchange(exchange)) this.#bodyMs = this.#clock.elapsed() - this.startedMs;
  }

  /** What was odd and no other field says. */
  note(text: string): void {
    if (this.#notes.length < notesMax) this.#notes.push(text);
  }

  /** The finished record. Waits only where tokens must be counted because the provider did not say. */
  async record(end: ReplyEnd): Promise<RequestRecord> {
    const durationMs = this.elapsedMs;
    const outcome = await this.#inference?.outcome();
    return this.recordWith(outcome ?? nothingInferred, end, durationMs);
  }

  /** The same where the story is known. */
  recordWith(outcome: InferenceOutcome, end: ReplyEnd, durationMs: number): RequestRecord {
    const error = end.error ?? outcome.mistake;
    const asked = this.#asked;
    const replayOf = this.#earlier?.id ?? this.#repeated;
    this.#model = outcome.model ?? this.model;
    // For retries it is kept longer than the prompt, which inference knows, should be.
    this.#inference = undefined;
    // Every field by its name: this is written for each request, and a copy of the story would cost several times as much.
    return {
      id: this.id,
      startedAt: this.startedAt,
      accountId: this.#caller.key.accountId,
      keyId: this.#caller.key.keyId,
      userId: asked?.userId,
      site: this.#caller.site,
      surface: this.#path,
      askedModel: asked?.model ?? '',
      model: this.#model,
      upstream: outcome.upstream,
      upstreamModel: outcome.upstreamModel,
      status: end.isCommitted ? 200 : statusOf(end),
      errorCase: error === undefined ? undefined : caseOf(error),
      errorDetail: error instanceof GatewayError ? error.detail : undefined,
      finish: outcome.finish,
      promptTokens: outcome.promptTokens,
      completionTokens: outcome.completionTokens,
      cachedTokens: outcome.cachedTokens,
      cacheWrite5mTokens: outcome.cacheWrite5mTokens,
      cacheWrite1hTokens: outcome.cacheWrite1hTokens,
      reasoningTokens: outcome.reasoningTokens,
      toolUses: outcome.toolUses,
      usageSource: outcome.usageSource,
      attempts: outcome.attempts,
      trail: ended(outcome.trail, end, durationMs),
      queuePosition: outcome.queuePosition,
      waitMs: outcome.waitMs,
      firstByteMs: this.#firstByteMs ?? outcome.firstByteMs,
      durationMs,
      clientGone: end.isClientGone,
      askedWhole: asked && !asked.wantsStream,
      unwantedStream: asked && end.isCommitted && !asked.wantsStream && !asked.isAnsweredWhole,
      notes: this.#notes.length === 0 ? outcome.notes : [...outcome.notes, ...this.#notes],
      cost: replayOf === undefined ? outcome.cost : 0n,
      providerCost: replayOf === undefined ? outcome.providerCost : undefined,
      cacheSavings: outcome.cacheSavings,
      priceVersion: outcome.priceVersion,
      replayOf,
      calls: outcome.calls,
      promises: outcome.promises,
      answeredMs: outcome.answeredMs,
      failedModels: outcome.failedModels,
      measured: outcome.measured,
      packageName: this.#caller.key.packageName,
      bodyMs: this.#bodyMs,
      trace: this.trace,
    } satisfies Record<keyof RequestRecord, unknown>;
  }

  /** How long ago it came. */
  get elapsedMs(): number {
    return Math.round(this.#clock.elapsed() - this.startedMs);
  }
}

/** Of a request that did not get so far. */
const nothingInferred: InferenceOutcome = {
  model: undefined,
  upstream: undefined,
  upstreamModel: undefined,
  finish: undefined,
  promptTokens: undefined,
  completionTokens: undefined,
  cachedTokens: undefined,
  cacheWrite5mTokens: undefined,
  cacheWrite1hTokens: undefined,
  reasoningTokens: undefined,
  toolUses: undefined,
  usageSource: undefined,
  attempts: 0,
  trail: [],
  queuePosition: undefined,
  waitMs: undefined,
  firstByteMs: undefined,
  notes: [],
  cost: undefined,
  priceVersion: undefined,
  calls: undefined,
  measured: undefined,
  mistake: undefined,
};

/** The last attempt lasts as long as its answer, and fails with it. */
function ended(trail: readonly AttemptRecord[], { error }: ReplyEnd, durationMs: number): readonly AttemptRecord[] {
  const last = trail.at(-1);
  if (!last || last.errorCase !== undefined) return trail;
  return [...trail.slice(0, -1), { ...last, endedMs: durationMs, ...failureOf(error) }];
}

/** The usual notation for a client that closed the connection before any status was sent. */
const clientClosedStatus = 499;

function statusOf(end: ReplyEnd): number {
  return end.isClientGone ? clientClosedStatus : errorTable[caseOf(end.error)].status;
}
