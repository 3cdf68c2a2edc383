import type { Caller } from '../../core/caller.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Clock } from '../../core/time/clock.ts';
import { errorTable } from 'chat-formats/error-table.ts';
import { caseOf, GatewayError } from 'chat-formats/gateway-error.ts';
import type { RequestTrace } from '../../core/request-trace.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Inference } from '../inference/infer.ts';
import type { InferenceOutcome } from '../inference/inference-outcome.ts';
import { failureOf } from '../inference/recorded-attempt.ts';
import type { AttemptRecord } from '../../money/requests/attempt-record.ts';
import type { RequestRecord } from '../../money/requests/request-record.ts';
import type { ReplyEnd } from './replies/reply-reader.ts';

const notesMax = 16;
const tagsCut = 'metadata has more or longer tags than a request keeps';

/** A summary instead of the request, because it may outlive the body in memory. */
interface RequestSummary extends Pick<ChatRequest, 'model' | 'userId' | 'tags' | 'wantsStream'> {
  readonly isJsonReply: boolean;
}

type InferenceSummary = Pick<Inference, 'model' | 'outcome'>;

type RecordedOutcome = Partial<InferenceOutcome> & Pick<InferenceOutcome, 'attemptCount' | 'attempts' | 'notes'>;

/** The surface's part of a request record. The reply's end and the outcome of inference complete it. */
export class ServedRequest {
  readonly id: string;
  /** When it arrived, on the clock's `elapsed` scale. */
  readonly startedMs: number;
  readonly #caller: Caller;
  readonly #path: string;
  readonly #clock: Clock;
  /** When it arrived, as Unix milliseconds. */
  readonly startedAt: number;
  readonly #notes: string[] = [];
  #summary: RequestSummary | undefined;
  #inference: InferenceSummary | undefined;
  #model: string | undefined;
  #earlier: ServedRequest | undefined;
  #remoteId: string | undefined;
  #firstByteMs: number | undefined;
  #uploadMs = 0;
  readonly trace: RequestTrace | undefined;

  constructor(
    { id, path, startedMs }: Pick<Exchange, 'id' | 'path' | 'startedMs'>,
    caller: Caller,
    clock: Clock,
    trace?: RequestTrace,
  ) {
    this.trace = trace;
    this.id = id;
    this.#caller = caller;
    this.#path = path;
    this.#clock = clock;
    const nowMs = clock.elapsed();
    this.startedMs = startedMs ?? nowMs;
    this.startedAt = clock.now() - Math.round(nowMs - this.startedMs);
  }

  /** The catalog id of the model that answers, if known. */
  get model(): string | undefined {
    return this.#inference?.model ?? this.#earlier?.model ?? this.#model;
  }

  asks({ model, userId, tags, wantsStream }: Omit<RequestSummary, 'isJsonReply'>, isJsonReply: boolean): void {
    this.#summary = { model, userId, tags, wantsStream, isJsonReply };
    if (tags?.isCut === true) this.note(tagsCut);
  }

  setInference(inference: InferenceSummary): void {
    this.#inference = inference;
  }

  /** It joins an earlier request. No provider is called, and nothing is charged. */
  replays(earlier: ServedRequest): void {
    this.#earlier = earlier;
    this.#summary = earlier.#summary;
  }

  joinRemote(id: string, model: string): void {
    this.#remoteId = id;
    this.#model = model;
  }

  /** The first byte of the earlier answer was sent to it. */
  markFirstByte(): void {
    this.#firstByteMs ??= this.elapsedMs;
  }

  /** The body is complete. */
  markBodyComplete({ uploadMs = 0 }: Pick<Exchange, 'uploadMs'>): void {
    this.#uploadMs = uploadMs;
  }

  note(text: string): void {
    if (this.#notes.length < notesMax) this.#notes.push(text);
  }

  /** The complete record. Waits only if tokens must be counted because the provider did not report them. */
  async record(end: ReplyEnd): Promise<RequestRecord> {
    const durationMs = this.elapsedMs;
    const outcome = await this.#inference?.outcome();
    return this.recordWith(outcome ?? noOutcome, end, durationMs);
  }

  recordWith(outcome: RecordedOutcome, end: ReplyEnd, durationMs: number): RequestRecord {
    const error = end.error ?? outcome.chargeError;
    const summary = this.#summary;
    const replayOf = this.#earlier?.id ?? this.#remoteId;
    this.#model = outcome.model ?? this.model;
    // This object is kept for retries longer than the prompt, which inference references.
    this.#inference = undefined;
    // Each field is listed, because this runs for every request and a spread of the outcome is several times slower.
    return {
      id: this.id,
      startedAt: this.startedAt,
      accountId: this.#caller.key.accountId,
      keyId: this.#caller.key.keyId,
      userId: summary?.userId,
      tags: summary?.tags?.list,
      site: this.#caller.site,
      surface: this.#path,
      requestedModel: summary?.model ?? '',
      model: this.#model,
      upstream: outcome.upstream,
      upstreamModel: outcome.upstreamModel,
      status: end.isCommitted ? 200 : statusOf(end),
      errorCase: error === undefined ? undefined : caseOf(error),
      errorDetail: error instanceof GatewayError ? error.detail : undefined,
      reachedLimit: error instanceof GatewayError ? error.limit : undefined,
      finish: outcome.finish,
      promptTokens: outcome.promptTokens,
      completionTokens: outcome.completionTokens,
      cachedTokens: outcome.cachedTokens,
      cacheWrite5mTokens: outcome.cacheWrite5mTokens,
      cacheWrite1hTokens: outcome.cacheWrite1hTokens,
      reasoningTokens: outcome.reasoningTokens,
      toolUses: outcome.toolUses,
      usageSource: outcome.usageSource,
      attemptCount: outcome.attemptCount,
      attempts: closeLastAttempt(outcome.attempts, end, durationMs),
      queuePosition: outcome.queuePosition,
      waitMs: outcome.waitMs,
      firstByteMs: this.#firstByteMs ?? outcome.firstByteMs,
      durationMs,
      clientGone: end.isClientGone,
      requestedWhole: summary && !summary.wantsStream,
      unwantedStream: summary && end.isCommitted && !summary.wantsStream && !summary.isJsonReply,
      notes: this.#notes.length === 0 ? outcome.notes : [...outcome.notes, ...this.#notes],
      cost: replayOf === undefined ? outcome.cost : 0n,
      providerCost: replayOf === undefined ? outcome.providerCost : undefined,
      cacheSavings: outcome.cacheSavings,
      priceVersion: outcome.priceVersion,
      costLines: outcome.costLines,
      replayOf,
      calls: outcome.calls,
      constraints: outcome.constraints,
      answeredMs: outcome.answeredMs,
      failedModels: outcome.failedModels,
      measured: outcome.measured,
      packageName: this.#caller.key.packageName,
      uploadMs: this.#uploadMs,
      trace: this.trace,
    } satisfies Record<keyof RequestRecord, unknown>;
  }

  get elapsedMs(): number {
    return Math.round(this.#clock.elapsed() - this.startedMs);
  }
}

/** The outcome of a request that never reached inference. */
const noOutcome: RecordedOutcome = { attemptCount: 0, attempts: [], notes: [] };

/** Extends the last attempt to the end of the answer, with the error of the answer. */
function closeLastAttempt(
  attempts: readonly AttemptRecord[],
  { error }: ReplyEnd,
  durationMs: number,
): readonly AttemptRecord[] {
  const last = attempts.at(-1);
  if (!last || last.errorCase !== undefined) return attempts;
  return [...attempts.slice(0, -1), { ...last, endedMs: durationMs, ...failureOf(error) }];
}

/** The common status for a client that closed the connection before any status was sent. */
const clientClosedStatus = 499;

function statusOf(end: ReplyEnd): number {
  return end.isClientGone ? clientClosedStatus : errorTable[caseOf(end.error)].status;
}
