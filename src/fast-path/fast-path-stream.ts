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

/** The answer that is streamed, as far as its stream has to know it. */
interface StreamedAnswer {
  readonly call: FastPathCall;
  readonly bill: Bill;
  readonly timing: AnswerTiming;
  /** Whether nobody wants it any more. */
  readonly isUnwanted: boolean;
  /** Nothing more can come of it that has to be waited for. */
  unwatch(): void;
  /** It is charged and written down. */
  unlist(): void;
}

/** What a request cost, and what went wrong with that. */
interface StreamCharge {
  readonly receipt: Receipt | undefined;
  readonly mistake: unknown;
}

/**
 * Decides what the client of a fast path is written, from the first content to the last byte, and how the answer ends: complete,
 * broken off, or with its client gone. Each closes the reply, and when it is known what the answer cost, how it went is
 * written down.
 */
export class FastPathStream {
  readonly #fastPath: FastPathHost;
  readonly #asked: FastPathRequest;
  readonly #answer: StreamedAnswer;
  readonly #splice: AnswerSplice;
  /** While it is cut off, its client has all of its text, and what it used is waited for. */
  #phase: 'answering' | 'cut' | 'ending' | 'closed' = 'answering';
  /** What the client has not been sent yet. */
  #pending = '';
  /** What became of the cap on tokens, where it is kept here. */
  #promises: InferenceOutcome['promises'];

  constructor(fastPath: FastPathHost, asked: FastPathRequest, answer: StreamedAnswer, splice: AnswerSplice) {
    this.#fastPath = fastPath;
    this.#asked = asked;
    this.#answer = answer;
    this.#splice = splice;
    asked.reply.onDrain(this.#goOn);
  }

  /** Whether the reply has come to its end, whichever way. */
  get isClosed(): boolean {
    return this.#phase === 'closed';
  }

  /** Passes on what one read brought: what the client gets of it is written once. */
  pass(spliced: SpliceResult): void {
    this.#answer.bill.tally.see(spliced.heard);
    if (this.#splice.isAlive) this.#answer.timing.signOfLife(this.#fastPath.parts.clock.elapsed());
    // An answer that came in one piece leaves in one. Otherwise the last words need not wait for the charge as the end does.
    const { isDone, isUsageDue } = this.#splice;
    if (isDone && !isUsageDue && !this.#asked.reply.hasBegun) this.#pending = spliced.frames;
    else if (spliced.frames !== '') this.#write(spliced.frames);
    if (isUsageDue) this.#awaitUsage();
    else if (isDone) this.finish();
  }

  /** The provider has said all that counts. The end waits until the charge is durable, and leaves with what came last. */
  finish(brokenBy?: unknown): void {
    const { call, bill } = this.#answer;
    const { frames, heard } = this.#splice.end();
    bill.tally.see(heard);
    this.#pending += frames;
    this.#phase = 'ending';
    this.#answer.timing.answered();
    call.leave(bill, brokenBy);
    this.#tellCap();
    // However far behind the reader is: what is left of the body is only its end, and frees the connection.
    call.inFlight?.resume();
    bill
      .settle()
      .then(
        (receipt) => this.#fastPath.workScheduler.pass(() => this.#complete(receipt)),
        (error: unknown) => this.breakOff(error),
      )
      .catch(this.#fastPath.parts.inference.onError);
  }

  /** The provider has failed. The client of an answer that was cut off has all of it. */
  failed(error: unknown): void {
    if (this.#phase === 'cut') this.finish(error);
    else this.breakOff(error);
  }

  /** An answer that is only waiting for its usage or its charge is let come to its end. */
  cutOff(error: Error): void {
    if (this.#phase === 'answering') this.breakOff(error);
  }

  /** It is due to be looked at: nothing has come for a while, or nothing was said. */
  look(nowMs: number): void {
    if (this.isClosed) return this.#letGo();
    const { timing } = this.#answer;
    if (this.#phase === 'cut' && timing.isUsageLate(nowMs)) return this.finish();
    const lateness = timing.lateness(nowMs);
    if (lateness !== undefined) return this.#timedOut(lateness);
    // Proxies and clients give up connections on which nothing is said.
    if (!timing.wantsWord(nowMs, this.#fastPath.parts.settings().keepAliveEveryMs)) return;
    try {
      this.#write(chatKeepAlive);
    } catch (error) {
      this.breakOff(error);
    }
  }

  /** Its client is told that there is no more, and why. */
  breakOff(error: unknown): void {
    if (this.isClosed) return;
    this.#letProviderGo(error);
    const { reply, exchange } = this.#asked;
    const isCommitted = reply.hasBegun || this.#pending !== '';
    try {
      if (isCommitted) reply.breakOff(this.#pending, this.#fastPath.errorFrame(error, exchange.id), error);
      else reply.fail(error);
    } catch {
      reply.destroy();
    }
    this.#close({ error, isClientGone: false, isCommitted });
  }

  /** Its client has left. */
  gone(): void {
    if (this.isClosed) return;
    this.#letProviderGo(undefined);
    this.#close({ error: undefined, isClientGone: true, isCommitted: this.#asked.reply.hasBegun });
  }

  /** However far behind the reader is: nothing of what comes now goes to it. */
  #awaitUsage(): void {
    if (this.#phase !== 'answering') return;
    this.#phase = 'cut';
    const { timing, call } = this.#answer;
    timing.awaitUsage(this.#fastPath.parts.clock.elapsed());
    this.#fastPath.watch.isDueAt(timing.dueMs);
    call.inFlight?.resume();
  }

  /** A provider that has gone past its cap may have more to say, which nobody hears. */
  #tellCap(): void {
    const { cappedAt, model } = this.#asked;
    if (cappedAt === undefined) return;
    const { isCut } = this.#splice;
    this.#promises = [{ model: model.id, promise: 'max_tokens', outcome: isCut ? 'mended' : 'kept' }];
    if (isCut) this.#answer.call.destroy();
  }

  #write(frames: string): void {
    const { timing, call } = this.#answer;
    timing.spoke();
    // Who has said everything is not kept waiting by a slow reader.
    if (this.#asked.reply.write(frames) || this.#phase !== 'answering') return;
    timing.pause();
    call.inFlight?.pause();
  }

  /** The reader has caught up. */
  readonly #goOn = (): void => {
    const { timing, call } = this.#answer;
    timing.resume(this.#fastPath.parts.clock.elapsed());
    call.inFlight?.resume();
  };

  #complete(receipt: Receipt | undefined): void {
    if (this.#phase !== 'ending') return;
    try {
      assert(receipt !== undefined, 'an answer that has begun has a receipt');
      this.#asked.reply.end(this.#pending + this.#splice.done(receipt.usage));
    } catch (error) {
      return this.breakOff(error);
    }
    const end = { error: undefined, isClientGone: false, isCommitted: true };
    this.#record(end, this.#closeReply(end), { receipt, mistake: undefined });
  }

  #timedOut(message: string): void {
    const error = new GatewayError('upstream-timeout', { cause: new Error(message) });
    this.breakOff(this.#asked.attributed(error));
  }

  /** Whatever goes wrong with that, its client hears of the end and its record is kept. */
  #letProviderGo(error: unknown): void {
    const { call, bill, isUnwanted } = this.#answer;
    try {
      // What was given up here says nothing about the provider.
      if (!call.isHeard) call.leave(bill, isUnwanted ? undefined : error);
    } catch (mistake) {
      this.#fastPath.parts.inference.onError(mistake);
    }
    call.destroy();
  }

  /** The provider has not closed its answer in time: the connection is not used again. */
  #letGo(): void {
    this.#answer.call.destroy();
    this.#answer.call.freed();
    this.#answer.unwatch();
  }

  /** The reply ended before its time. What it cost is still to be settled. */
  #close(end: ReplyEnd): void {
    const { onError } = this.#fastPath.parts.inference;
    const durationMs = this.#closeReply(end);
    // The log of a request whose client left says that, and operators would not hear of a mistake of ours.
    if (end.isClientGone && isInternalError(end.error)) onError(end.error);
    this.#answer.bill
      .settle()
      .then(
        (receipt) => this.#record(end, durationMs, { receipt, mistake: undefined }),
        (mistake: unknown) => this.#record(end, durationMs, { receipt: this.#answer.bill.troubled, mistake }),
      )
      .catch(onError);
  }

  /** Nothing more is said. Returns how long it took. */
  #closeReply(end: ReplyEnd): number {
    const { timing, call } = this.#answer;
    this.#phase = 'closed';
    timing.drain(this.#fastPath.parts.clock.elapsed());
    if (call.inFlight) this.#fastPath.watch.isDueAt(timing.dueMs);
    else this.#answer.unwatch();
    this.#asked.reply.close(end);
    return this.#asked.served.elapsedMs;
  }

  /** A record that cannot be made is a mistake of ours, and the request is over all the same. */
  #record({ error, isClientGone, isCommitted }: ReplyEnd, durationMs: number, charged: StreamCharge): void {
    const { requests, inference } = this.#fastPath.parts;
    const { model, served, exchange } = this.#asked;
    const { call, bill } = this.#answer;
    try {
      const { receipt, mistake } = charged;
      const { startedMs } = served;
      const attempts = call.attempt ? [call.attempt] : [];
      const about = { model: model.id, attempts, promises: this.#promises, queueTimeout: undefined, startedMs };
      const story = inferred({ ...about, bill, receipt, mistake });
      const end = { error, isClientGone: isClientGone || exchange.isGone, isCommitted };
      requests.write(served.recordWith(story, end, durationMs));
    } catch (trouble) {
      inference.onError(trouble);
    } finally {
      this.#answer.unlist();
    }
  }
}
