import { assert } from '../core/assert.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { SpliceResult } from '../dialects/chat-completions/splice.ts';
import type { Bill, Receipt } from '../inference/bill.ts';
import { type InferenceOutcome, inferred } from '../inference/inference-outcome.ts';
import { chatKeepAlive } from '../surfaces/chat-completions.ts';
import { isInternalError } from '../surfaces/conversation.ts';
import type { ReplyEnd } from '../surfaces/reply-end.ts';
import type { AnswerSplice } from '../upstreams/upstream.ts';
import type { AnswerTiming } from './answer-timing.ts';
import type { FastPathCall } from './fast-path-call.ts';
import type { FastPathHost, FastPathRequest } from './fast-path-request.ts';

/** The part of `FastPathAnswer` that its stream uses. */
interface StreamedAnswer {
  readonly call: FastPathCall;
  readonly bill: Bill;
  readonly timing: AnswerTiming;
  /** Whether the client has left or the request was aborted. */
  readonly isAborted: boolean;
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
 * Writes the client's stream on the fast path, from the first content to the last byte. An answer ends in one of three
 * ways: complete, broken off, or abandoned by its client. Each closes the reply. Once the cost is known, the stream
 * writes the request record.
 */
export class FastPathStream {
  readonly #fastPath: FastPathHost;
  readonly #request: FastPathRequest;
  readonly #answer: StreamedAnswer;
  readonly #splice: AnswerSplice;
  /** In phase `cut` the client has the complete text, and the stream waits for the provider's usage report. */
  #phase: 'answering' | 'cut' | 'ending' | 'closed' = 'answering';
  /** Frames that are not yet written to the client. */
  #pending = '';
  /** Whether the provider kept the token cap, if the gateway enforces it. */
  #constraints: InferenceOutcome['constraints'];

  constructor(fastPath: FastPathHost, request: FastPathRequest, answer: StreamedAnswer, splice: AnswerSplice) {
    this.#fastPath = fastPath;
    this.#request = request;
    this.#answer = answer;
    this.#splice = splice;
    request.reply.onDrain(this.#resume);
  }

  /** Whether the reply has ended, in any way. */
  get isClosed(): boolean {
    return this.#phase === 'closed';
  }

  /** Forwards the result of one read, with one write to the client. */
  pass(spliced: SpliceResult): void {
    this.#answer.bill.tally.see(spliced.events);
    if (this.#splice.isAlive) this.#answer.timing.recordActivity(this.#fastPath.parts.clock.elapsed());
    // An answer that arrived in one read leaves in one write. Otherwise the end waits for the charge, the text does
    // not.
    const { isDone, isUsageDue } = this.#splice;
    if (isDone && !isUsageDue && !this.#request.reply.hasBegun) this.#pending = spliced.frames;
    else if (spliced.frames !== '') this.#write(spliced.frames);
    if (isUsageDue) this.#awaitUsage();
    else if (isDone) this.finish();
  }

  /** The provider has finished. The end of the reply waits until the charge is durable, and carries the last frames. */
  finish(providerError?: unknown): void {
    const { call, bill } = this.#answer;
    const { frames, events } = this.#splice.end();
    bill.tally.see(events);
    this.#pending += frames;
    this.#phase = 'ending';
    this.#answer.timing.markAnswered();
    call.leave(bill, providerError);
    this.#recordCap();
    // Resume even if the client is behind: only the end of the body is left, and it frees the connection.
    call.inFlight?.resume();
    bill
      .settle()
      .then(
        (receipt) => this.#fastPath.workScheduler.pass(() => this.#complete(receipt)),
        (error: unknown) => this.breakOff(error),
      )
      .catch(this.#fastPath.parts.inference.onError);
  }

  /** The provider has failed. If the answer was cut at its token cap, the client already has the complete text. */
  failed(error: unknown): void {
    if (this.#phase === 'cut') this.finish(error);
    else this.breakOff(error);
  }

  /** Aborts the answer, unless it only waits for its usage or its charge. */
  abort(error: Error): void {
    if (this.#phase === 'answering') this.breakOff(error);
  }

  /** Called by the deadline timer when `dueMs` has passed. */
  check(nowMs: number): void {
    if (this.isClosed) return this.#closeConnection();
    const { timing } = this.#answer;
    if (this.#phase === 'cut' && timing.isUsageLate(nowMs)) return this.finish();
    const timeout = timing.timeout(nowMs);
    if (timeout !== undefined) return this.#timedOut(timeout);
    // Proxies and clients close idle connections.
    if (!timing.takeKeepAlive(nowMs, this.#fastPath.parts.settings().keepAliveEveryMs)) return;
    try {
      this.#write(chatKeepAlive);
    } catch (error) {
      this.breakOff(error);
    }
  }

  /** Ends the reply with an error. */
  breakOff(error: unknown): void {
    if (this.isClosed) return;
    this.#endCall(error);
    const { reply, exchange } = this.#request;
    const isCommitted = reply.hasBegun || this.#pending !== '';
    try {
      if (isCommitted) reply.breakOff(this.#pending, this.#fastPath.errorFrame(error, exchange.id), error);
      else reply.fail(error);
    } catch {
      reply.destroy();
    }
    this.#close({ error, isClientGone: false, isCommitted });
  }

  clientGone(): void {
    if (this.isClosed) return;
    this.#endCall(undefined);
    this.#close({ error: undefined, isClientGone: true, isCommitted: this.#request.reply.hasBegun });
  }

  /** Resumes reading even if the client is behind: none of the following data is sent to it. */
  #awaitUsage(): void {
    if (this.#phase !== 'answering') return;
    this.#phase = 'cut';
    const { timing, call } = this.#answer;
    timing.awaitUsage(this.#fastPath.parts.clock.elapsed());
    this.#fastPath.deadlines.schedule(timing.dueMs);
    call.inFlight?.resume();
  }

  /** Records whether the cap was kept. A provider that exceeded it may send more: close the connection. */
  #recordCap(): void {
    const { cappedAt, model } = this.#request;
    if (cappedAt === undefined) return;
    const { isCut } = this.#splice;
    this.#constraints = [{ model: model.id, constraint: 'max_tokens', outcome: isCut ? 'repaired' : 'met' }];
    if (isCut) this.#answer.call.destroy();
  }

  #write(frames: string): void {
    const { timing, call } = this.#answer;
    timing.recordWrite();
    // Once the answer is complete, a slow client must not pause the provider.
    if (this.#request.reply.write(frames) || this.#phase !== 'answering') return;
    timing.pause();
    call.inFlight?.pause();
  }

  readonly #resume = (): void => {
    const { timing, call } = this.#answer;
    timing.resume(this.#fastPath.parts.clock.elapsed());
    call.inFlight?.resume();
  };

  #complete(receipt: Receipt | undefined): void {
    if (this.#phase !== 'ending') return;
    try {
      assert(receipt !== undefined, 'an answer that has begun has a receipt');
      this.#request.reply.end(this.#pending + this.#splice.done(receipt.usage));
    } catch (error) {
      return this.breakOff(error);
    }
    const end = { error: undefined, isClientGone: false, isCommitted: true };
    this.#record(end, this.#closeReply(end), { receipt, chargeError: undefined });
  }

  #timedOut(message: string): void {
    const error = new GatewayError('upstream-timeout', { cause: new Error(message) });
    this.breakOff(this.#request.attributed(error));
  }

  /** Does not throw: the client must receive the end, and the request must be recorded. */
  #endCall(error: unknown): void {
    const { call, bill, isAborted } = this.#answer;
    try {
      // An answer that was aborted, or that its client left, is not a failure of the provider.
      if (!call.isProviderDone) call.leave(bill, isAborted ? undefined : error);
    } catch (internalError) {
      this.#fastPath.parts.inference.onError(internalError);
    }
    call.destroy();
  }

  /** The provider has not ended its response in time: close the connection. */
  #closeConnection(): void {
    this.#answer.call.destroy();
    this.#answer.call.release();
    this.#answer.unwatch();
  }

  /** The reply ended early. Its cost is still to be settled. */
  #close(end: ReplyEnd): void {
    const { onError } = this.#fastPath.parts.inference;
    const durationMs = this.#closeReply(end);
    // The log of such a request says only that its client left. Report internal errors separately.
    if (end.isClientGone && isInternalError(end.error)) onError(end.error);
    this.#answer.bill
      .settle()
      .then(
        (receipt) => this.#record(end, durationMs, { receipt, chargeError: undefined }),
        (chargeError: unknown) =>
          this.#record(end, durationMs, { receipt: this.#answer.bill.partialReceipt, chargeError }),
      )
      .catch(onError);
  }

  /** Returns the duration in milliseconds. */
  #closeReply(end: ReplyEnd): number {
    const { timing, call } = this.#answer;
    this.#phase = 'closed';
    timing.drain(this.#fastPath.parts.clock.elapsed());
    if (call.inFlight) this.#fastPath.deadlines.schedule(timing.dueMs);
    else this.#answer.unwatch();
    this.#request.reply.close(end);
    return this.#request.served.elapsedMs;
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
      const outcome = inferred({ ...about, bill, receipt, mistake: chargeError });
      const end = { error, isClientGone: isClientGone || exchange.isGone, isCommitted };
      requests.write(served.recordWith(outcome, end, durationMs));
    } catch (recordError) {
      inference.onError(recordError);
    } finally {
      this.#answer.unlist();
    }
  }
}
