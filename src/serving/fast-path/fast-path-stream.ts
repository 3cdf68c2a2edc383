import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { usageWaitMs } from 'chat-formats/chat/usage-wait.ts';
import type { SpliceResult } from '../upstreams/splice/splice.ts';
import type { Bill, Receipt } from '../inference/money/bill.ts';
import { type InferenceOutcome, inferenceOutcome } from '../inference/inference-outcome.ts';
import type { ProviderCall } from '../routing/calls/provider-call.ts';
import { AnswerSession, type SessionHost } from '../surfaces/answer-session.ts';
import { chatKeepAlive } from '../surfaces/chat-completions.ts';
import { isInternalError } from '../surfaces/conversation.ts';
import type { ReplyEnd } from '../surfaces/replies/reply-reader.ts';
import type { AnswerDeadlines } from '../upstreams/answer/answer-deadlines.ts';
import type { SentRequest } from '../upstreams/http1/pool.ts';
import type { AnswerSplice } from '../upstreams/upstream.ts';
import type { FastPathHost, FastPathRequest } from './fast-path-request.ts';

/** How long to wait for the end of a finished answer's body, so that the connection can be reused. */
const drainMs = 1000;

/** The part of `FastPathAnswer` that its stream uses. */
interface StreamedAnswer {
  readonly call: ProviderCall;
  readonly bill: Bill;
  readonly deadlines: AnswerDeadlines;
  /** The provider's connection, while data may still arrive on it. */
  readonly inFlight: SentRequest | undefined;
  /** Whether the client has left or the request was aborted. */
  readonly isAborted: boolean;
  /** Closes the provider's connection. */
  disconnect(): void;
  /** No further checks are needed. */
  unwatch(): void;
  /** The request is charged and recorded. */
  unlist(): void;
}

/** The receipt of a request, and the error if charging failed. */
interface StreamCharge {
  readonly receipt: Receipt | undefined;
  readonly chargeError: unknown;
}

/**
 * Feeds the session of an answer on the fast path, from the first content to the last byte. Once the reply has ended
 * and the cost is known, it writes the request record.
 */
export class FastPathStream implements SessionHost {
  /** Time of the next check, on the clock's `elapsed` scale. */
  dueMs = 0;
  readonly clock: Clock;
  readonly #fastPath: FastPathHost;
  readonly #request: FastPathRequest;
  readonly #answer: StreamedAnswer;
  readonly #splice: AnswerSplice;
  readonly #session: AnswerSession;
  /**
   * Until when to wait for the usage of an answer that the gateway cut at its token cap. The client has all of its
   * text.
   */
  #usageDueMs: number | undefined;
  /** Whether the provider kept the token cap, if the gateway enforces it. */
  #constraints: InferenceOutcome['constraints'];

  constructor(fastPath: FastPathHost, request: FastPathRequest, answer: StreamedAnswer, splice: AnswerSplice) {
    this.#fastPath = fastPath;
    this.#request = request;
    this.#answer = answer;
    this.#splice = splice;
    this.clock = fastPath.parts.clock;
    const nowMs = this.clock.elapsed();
    this.#session = new AnswerSession(this, request.reply, nowMs + this.keepAliveEveryMs);
    this.#scheduleCheck(nowMs);
  }

  /** Whether the reply has ended, in any way. */
  get isClosed(): boolean {
    return this.#session.isClosed;
  }

  /** Forwards the result of one read, with one write to the client. */
  pass(spliced: SpliceResult): void {
    this.#measure(spliced.events);
    if (this.#splice.isAlive) this.#answer.deadlines.recordActivity(this.clock.elapsed());
    // An answer that arrived in one read leaves in one write. Otherwise the end waits for the charge, the text does
    // not.
    const { isDone, isUsageDue } = this.#splice;
    this.#session.pass(spliced.frames, isDone && !isUsageDue && !this.#request.reply.hasBegun);
    if (isUsageDue) this.#awaitUsage();
    else if (isDone) this.finish();
  }

  /** The provider has finished. Its slot is free again before the end of the reply. */
  finish(providerError?: unknown): void {
    const { frames, events } = this.#splice.end();
    this.#measure(events);
    this.#session.pass(frames, true);
    this.#answer.deadlines.stop();
    this.#answer.call.end(providerError);
    this.#recordCap();
    this.#session.finish(({ usage }) => this.#splice.done(usage));
  }

  /** The provider has failed. If the answer was cut at its token cap, the client already has the complete text. */
  failed(error: unknown): void {
    if (this.#isCut) this.finish(error);
    else this.#session.fail(error);
  }

  /** Aborts the answer, unless it only waits for its usage or its charge. */
  abort(error: Error): void {
    if (!this.#isCut) this.#session.abort(error);
  }

  clientGone(): void {
    this.#session.clientGone();
  }

  /** Called by the deadline timer when `dueMs` has passed. */
  tick(nowMs: number): void {
    if (this.isClosed) return this.#closeConnection();
    if (this.#isCut && nowMs >= (this.#usageDueMs ?? 0)) this.finish();
    const timeout = this.#isCut ? undefined : this.#answer.deadlines.expired(nowMs);
    if (timeout === undefined) this.#session.tick(nowMs);
    else this.#timedOut(timeout);
    if (!this.isClosed) this.#scheduleCheck(nowMs);
  }

  pause(): void {
    if (this.#isCut) return;
    this.#answer.deadlines.pause();
    this.#answer.inFlight?.pause();
  }

  resume(): void {
    this.#answer.deadlines.resume(this.clock.elapsed());
    this.#answer.inFlight?.resume();
  }

  stop(error: unknown): void {
    const { call, isAborted } = this.#answer;
    try {
      // An answer that was aborted, or that its client left, is not a failure of the provider.
      if (!call.isOver) call.end(isAborted ? undefined : error);
    } finally {
      this.#answer.disconnect();
    }
  }

  get keepAliveEveryMs(): number {
    return this.#fastPath.parts.settings().keepAliveEveryMs;
  }

  keepAlive(): string {
    return chatKeepAlive;
  }

  errorFrame(error: unknown): string {
    return this.#fastPath.errorFrame(error, this.#request.exchange.id);
  }

  isSentInStream(): boolean {
    return false;
  }

  /** The first frame is written when the stream is created, and that schedules the next check. */
  reschedule(): void {}

  settle(): Promise<Receipt | undefined> {
    return this.#answer.bill.settle();
  }

  schedule(work: () => void): void {
    this.#fastPath.workScheduler.pass(work);
  }

  onError(error: unknown): void {
    this.#fastPath.parts.inference.onError(error);
  }

  /** Whether the answer was cut at its token cap and waits for the provider's usage report. */
  get #isCut(): boolean {
    return this.#usageDueMs !== undefined && !this.#answer.call.isOver;
  }

  #measure(events: SpliceResult['events']): void {
    this.#answer.bill.measure(events);
    this.#answer.call.measure(events);
  }

  /** Resumes reading even if the client is behind: none of the following data is sent to it. */
  #awaitUsage(): void {
    if (this.#usageDueMs !== undefined) return;
    const nowMs = this.clock.elapsed();
    this.#usageDueMs = nowMs + usageWaitMs;
    this.#scheduleCheck(nowMs);
    this.#answer.inFlight?.resume();
  }

  /** Records whether the cap was kept. A provider that exceeded it may send more: close the connection. */
  #recordCap(): void {
    const { cappedAt, model } = this.#request;
    if (cappedAt === undefined) return;
    const { isCut } = this.#splice;
    this.#constraints = [{ model: model.id, constraint: 'max_tokens', outcome: isCut ? 'repaired' : 'met' }];
    if (isCut) this.#answer.disconnect();
  }

  #scheduleCheck(nowMs: number): void {
    const providerMs = this.#isCut ? this.#usageDueMs : this.#answer.deadlines.dueMs(nowMs);
    this.dueMs = Math.min(this.#session.dueMs, providerMs ?? Number.POSITIVE_INFINITY);
    this.#fastPath.parts.deadlines.schedule(this.dueMs);
  }

  #timedOut(message: string): void {
    const error = new GatewayError('upstream-timeout', { cause: new Error(message) });
    this.#session.fail(this.#request.attributed(error));
  }

  /** The provider has not ended its response in time: close the connection. */
  #closeConnection(): void {
    this.#answer.disconnect();
    this.#answer.unwatch();
  }

  closed(end: ReplyEnd, receipt: Receipt | undefined): void {
    const { parts } = this.#fastPath;
    const { onError } = parts.inference;
    // Only the provider's body may still be open.
    this.dueMs = this.clock.elapsed() + drainMs;
    if (this.#answer.inFlight) parts.deadlines.schedule(this.dueMs);
    else this.#answer.unwatch();
    this.#request.reply.close(end);
    const durationMs = this.#request.served.elapsedMs;
    // The log of such a request says only that its client left. Report internal errors separately.
    if (end.isClientGone && isInternalError(end.error)) onError(end.error);
    if (receipt) return this.#record(end, durationMs, { receipt, chargeError: undefined });
    const { bill } = this.#answer;
    bill
      .settle()
      .then(
        (settled) => this.#record(end, durationMs, { receipt: settled, chargeError: undefined }),
        (chargeError: unknown) => this.#record(end, durationMs, { receipt: bill.partialReceipt, chargeError }),
      )
      .catch(onError);
  }

  /** If writing the record throws, report the error; the request ends anyway. */
  #record({ error, isClientGone, isCommitted }: ReplyEnd, durationMs: number, charge: StreamCharge): void {
    const { requests, inference } = this.#fastPath.parts;
    const { model, served, exchange } = this.#request;
    const { call, bill } = this.#answer;
    try {
      const { receipt, chargeError } = charge;
      const { startedMs } = served;
      const attempts = call.attempt ? [call.attempt] : [];
      const about = { model: model.id, attempts, constraints: this.#constraints, queueTimeout: undefined, startedMs };
      const outcome = inferenceOutcome({ ...about, bill, receipt, chargeError });
      const end = { error, isClientGone: isClientGone || exchange.isGone, isCommitted };
      requests.write(served.recordWith(outcome, end, durationMs));
    } catch (recordError) {
      inference.onError(recordError);
    } finally {
      this.#answer.unlist();
    }
  }
}
