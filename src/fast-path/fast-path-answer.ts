import { assert } from '../core/assert.ts';
import type { Caller } from '../core/caller.ts';
import type { Model } from '../core/model.ts';
import type { SplicedText } from '../core/spliced-text.ts';
import { isContent, type StreamEvent } from '../core/stream-event.ts';
import type { SpliceResult } from '../dialects/chat-completions/splice.ts';
import { type Bill, isGivenUp } from '../inference/bill.ts';
import { fallsBackOn } from '../inference/fallback-reason.ts';
import type { Endable } from '../inference/running-requests.ts';
import { isRefusal } from '../routing/refused-answer.ts';
import type { ResponseHandler } from '../upstreams/http1/provider-connection.ts';
import type { TransportFault } from '../upstreams/http1/transport-fault.ts';
import type { ResponseHead } from '../upstreams/http1/response-head.ts';
import { transportError } from '../upstreams/transport-error.ts';
import type { AnswerSplice } from '../upstreams/upstream.ts';
import { AnswerTiming } from './answer-timing.ts';
import { PrefetchBuffer } from './prefetch-buffer.ts';
import { FastPathCall } from './fast-path-call.ts';
import type { FastPathHost, FastPathRequest, BailoutContext } from './fast-path-request.ts';
import { FastPathStream } from './fast-path-stream.ts';

/**
 * One answer on the fast path, from the moment its call is sent. It receives events from the provider (`head`, `data`,
 * `end`, `fail`), the deadline timer (`look`), the client's disconnect (`#gone`), and aborts (`cutOff`). Before the
 * first content every problem bails out to the slow path, which gets everything received so far. From the first content
 * on, `FastPathStream` handles the rest.
 */
export class FastPathAnswer implements ResponseHandler, Endable {
  readonly caller: Caller;
  readonly isWaiting = false;
  readonly call: FastPathCall;
  readonly bill: Bill;
  readonly timing: AnswerTiming;
  readonly #fastPath: FastPathHost;
  readonly #asked: FastPathRequest;
  /** Needed to bail out, with the provider's head. Both are released at the first content. */
  #way: BailoutContext | undefined;
  #head: ResponseHead | undefined;
  #splice: AnswerSplice | undefined;
  #early: PrefetchBuffer | undefined;
  /** Set at the first content. */
  #stream: FastPathStream | undefined;
  #isHandedOver = false;
  /** The slow path's response handler, once it has taken over. */
  #successor: ResponseHandler | undefined;
  #isGone = false;
  #cutOffBy: Error | undefined;
  /** Why the call could not be sent. */
  #failure: unknown;
  /** Indexes in the deadline timer and in the list of running requests. */
  #watched = 0;
  #running = 0;

  constructor(fastPath: FastPathHost, asked: FastPathRequest, way: BailoutContext) {
    this.#fastPath = fastPath;
    this.#asked = asked;
    this.#way = way;
    this.caller = asked.caller;
    this.call = new FastPathCall(asked);
    const { clock, settings } = fastPath.parts;
    this.timing = new AnswerTiming(clock.elapsed(), way.readyCall.timeouts, settings().holdHeadersMs);
    this.bill = fastPath.openBill(asked, () => isGivenUp({ aborted: this.isUnwanted, reason: this.#cutOffBy }));
  }

  /** Time of the next check, on the clock's `elapsed` scale. */
  get dueMs(): number {
    return this.timing.dueMs;
  }

  /** Whether the client has left or the request was aborted. */
  get isUnwanted(): boolean {
    return this.#isGone || this.#cutOffBy !== undefined;
  }

  get #wayThere(): BailoutContext {
    assert(this.#way !== undefined, 'the bail-out context is used only before the first content');
    return this.#way;
  }

  send(): void {
    const { reply, hold } = this.#asked;
    hold.whenLost((error) => this.cutOff(error));
    reply.onGone(this.#gone);
    this.#watched = this.#fastPath.watch.add(this);
    this.#running = this.#fastPath.parts.running.add(this);
    try {
      this.call.send(this.#wayThere.readyCall, this);
    } catch (error) {
      this.#failure = error;
      this.#handOver();
    }
  }

  sent(): void {
    this.bill.sent();
  }

  head(head: ResponseHead): void {
    // A client that leaves during the provider's error response is not charged for the call.
    if (head.status !== 200) this.bill.undone();
    if (this.#successor) return this.#successor.head(head);
    this.#head = head;
    if (head.status !== 200 || !isEventStream(head)) return this.#handOver();
    const { exchange, served, model, dispatch, cappedAt } = this.#asked;
    const encoding = {
      id: `chatcmpl-${exchange.id}`,
      created: Math.floor(served.startedAt / 1000),
      model: model.id,
      logprobs: false,
      usageSource: dispatch.candidate.route.upstream,
    };
    this.#splice = this.#wayThere.readyCall.splice(encoding, cappedAt);
  }

  data(bytes: Buffer): void {
    if (this.#successor) return this.#successor.data(bytes);
    if (!this.#splice || this.call.isHeard) return;
    const { chunks } = this.#fastPath.parts;
    const cameMs = chunks?.came();
    try {
      this.#read(this.#splice, bytes);
      if (cameMs !== undefined) chunks?.left(cameMs);
    } catch (error) {
      this.#broke(error, (successor) => successor.data(bytes));
    }
  }

  end(): void {
    if (this.#successor) return this.#successor.end();
    try {
      // If the body ends before the first content, the slow path may still try another upstream.
      if (!this.#stream) this.#leave((successor) => successor.end());
      else if (!this.call.isHeard) this.#stream.finish();
    } catch (error) {
      this.#broke(error, (successor) => successor.end());
    }
    this.#bodyEnded();
  }

  fail(fault: TransportFault): void {
    if (this.#successor) return this.#successor.fail(fault);
    if (!this.call.isHeard) this.#broke(transportError(fault), (successor) => successor.fail(fault));
    this.#bodyEnded();
  }

  /** Aborts the answer: on shutdown or revocation, or because its hold is lost. */
  cutOff(error: Error): void {
    this.#cutOffBy ??= error;
    if (this.#stream) this.#stream.cutOff(error);
    else this.#handOver();
  }

  /** Called by the deadline timer when `dueMs` has passed. */
  look(nowMs: number): void {
    if (this.#stream) this.#stream.look(nowMs);
    else this.#handOver();
  }

  /** No further checks are needed. */
  unwatch(): void {
    this.#fastPath.watch.remove(this, this.#watched);
  }

  /** The request is charged and recorded, or the slow path owns it: it no longer counts as running. */
  unlist(): void {
    this.#fastPath.parts.running.remove(this, this.#running);
  }

  #read(splice: AnswerSplice, bytes: Buffer): void {
    const spliced = splice.push(bytes);
    const mayBegin = !this.#isHandedOver && isSaid(spliced.heard, this.#asked.model);
    if (!this.#stream && !mayBegin) return this.#keepEarly(splice, bytes, spliced.heard.filter(isEvent));
    this.#stream ??= this.#begun(splice);
    this.#stream.pass(spliced);
  }

  /** The client has received nothing yet, so the slow path may still try another upstream. */
  #keepEarly({ isDone, isHolding }: AnswerSplice, bytes: Buffer, events: readonly StreamEvent[]): void {
    this.#early ??= new PrefetchBuffer();
    this.#early.keep(bytes, events);
    if (events.length > 0) this.bill.heardEarly(events);
    if (isDone || isHolding || this.#early.isTooLong) this.#handOver();
  }

  /** Called once, at the first content. */
  #begun(splice: AnswerSplice): FastPathStream {
    const { clock, settings } = this.#fastPath.parts;
    const nowMs = clock.elapsed();
    this.call.begin(this.timing.sentMs, nowMs);
    this.bill.begin();
    if (this.#early) this.bill.tally.see(this.#early.events);
    this.#early = undefined;
    this.timing.begin(nowMs, settings().keepAliveEveryMs);
    this.#fastPath.watch.isDueAt(this.timing.dueMs);
    const stream = new FastPathStream(this.#fastPath, this.#asked, this, splice);
    // Must be last: if anything above throws, the slow path can still take over.
    this.#way = undefined;
    this.#head = undefined;
    return stream;
  }

  readonly #gone = (): void => {
    this.#isGone = true;
    if (this.#stream) this.#stream.gone();
    else this.#handOver();
  };

  #broke(error: unknown, retell: (successor: ResponseHandler) => void): void {
    if (this.#stream) this.#stream.failed(this.#asked.attributed(error));
    else this.#leave(retell);
  }

  #leave(retell: (successor: ResponseHandler) => void): void {
    this.#handOver();
    if (this.#successor) retell(this.#successor);
  }

  /** The provider's response has ended; its connection may already serve another request. */
  #bodyEnded(): void {
    this.call.freed();
    if (this.#stream?.isClosed) this.unwatch();
  }

  /** Bails out: the slow path continues with everything received so far. */
  #handOver(): void {
    if (this.#isHandedOver) return;
    this.#isHandedOver = true;
    this.unwatch();
    const { dispatch, model, request, hold } = this.#asked;
    const { said, search, readyCall } = this.#wayThere;
    const { sentMs } = this.timing;
    const answer = (signal: AbortSignal) => {
      const { inFlight } = this.call;
      if (!inFlight) return Promise.reject(this.#failure);
      const { handler, flow } = readyCall.adopt(inFlight, { signal, sentMs });
      this.#successor = handler;
      if (this.#head && !signal.aborted) handler.head(this.#head);
      this.#early?.retell(handler);
      this.#early = undefined;
      return flow;
    };
    const routed = { search, dispatch: { ...dispatch, made: { beganMs: sentMs, answer } } };
    this.#fastPath.handOver(this.#asked, said, { model, request, hold, bill: this.bill, routed }, this.#cutOffBy);
    this.unlist();
  }
}

function isEvent(heard: StreamEvent | SplicedText): heard is StreamEvent {
  return heard.type !== 'spliced-text';
}

/** Whether the client gets any of it. A refusal does not count if another model may answer instead. */
function isSaid(heard: SpliceResult['heard'], model: Model): boolean {
  for (const each of heard) {
    if (!isEvent(each)) return true;
    if (isContent(each) && !(isRefusal(each) && fallsBackOn(model, 'refusal'))) return true;
  }
  return false;
}

function isEventStream(head: ResponseHead): boolean {
  return head.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';
}
