import { assert } from 'chat-formats/assert.ts';
import type { Caller } from '../../core/caller.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { SplicedText } from 'chat-formats/json/spliced-text.ts';
import { isContent, type StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { SpliceResult } from '../upstreams/splice/splice.ts';
import { type Bill, isGivenUp } from '../inference/money/bill.ts';
import { fallsBackOn } from '../inference/fallback/fallback-reason.ts';
import type { AbortableRequest } from '../inference/running-requests.ts';
import { ProviderCall } from '../routing/calls/provider-call.ts';
import { isRefusal } from '../routing/answers/refused-answer.ts';
import type { SentRequest } from '../upstreams/http1/pool.ts';
import type { ResponseHandler } from '../upstreams/http1/provider-connection.ts';
import type { TransportFault } from '../upstreams/http1/transport-fault.ts';
import type { ResponseHead } from '../upstreams/http1/response-head.ts';
import { transportError } from '../upstreams/answer/refusal.ts';
import type { AnswerSplice } from '../upstreams/upstream.ts';
import { AnswerDeadlines } from '../upstreams/answer/answer-deadlines.ts';
import { PrefetchBuffer } from './prefetch-buffer.ts';
import type { FastPathHost, FastPathRequest, BailoutContext } from './fast-path-request.ts';
import { FastPathStream } from './fast-path-stream.ts';

/**
 * One answer on the fast path, from the moment its call is sent. It receives events from the provider (`head`, `data`,
 * `end`, `fail`), the deadline timer (`tick`), the client's disconnect (`#onClientGone`), and aborts (`abort`).
 * Before the first content every problem bails out to the slow path, which gets everything received so far. From the
 * first content on, `FastPathStream` handles the rest.
 */
export class FastPathAnswer implements ResponseHandler, AbortableRequest {
  readonly caller: Caller;
  readonly isWaiting = false;
  readonly call: ProviderCall;
  readonly bill: Bill;
  readonly deadlines: AnswerDeadlines;
  readonly #sentMs: number;
  /** When the request bails out, on the clock's `elapsed` scale, unless its answer has begun. */
  readonly #bailoutMs: number;
  readonly #fastPath: FastPathHost;
  readonly #request: FastPathRequest;
  /** Needed to bail out, with the provider's head. Both are released at the first content. */
  #bailout: BailoutContext | undefined;
  #head: ResponseHead | undefined;
  #splice: AnswerSplice | undefined;
  #prefetch: PrefetchBuffer | undefined;
  /** Set at the first content. */
  #stream: FastPathStream | undefined;
  #hasBailedOut = false;
  #inFlight: SentRequest | undefined;
  /** The slow path's response handler, once it has taken over. */
  #successor: ResponseHandler | undefined;
  #isClientGone = false;
  #abortedBy: Error | undefined;
  /** Why the call could not be sent. */
  #failure: unknown;
  /** Indexes in the deadline timer and in the list of running requests. */
  #deadlineIndex = 0;
  #runningIndex = 0;

  constructor(fastPath: FastPathHost, request: FastPathRequest, bailout: BailoutContext) {
    this.#fastPath = fastPath;
    this.#request = request;
    this.#bailout = bailout;
    this.caller = request.caller;
    const { clock, settings } = fastPath.parts;
    const { timeouts } = bailout.readyCall;
    this.#sentMs = clock.elapsed();
    this.#bailoutMs = this.#sentMs + Math.min(settings().holdHeadersMs, timeouts.firstEvent, timeouts.total);
    this.call = new ProviderCall(request.dispatch, this.#sentMs, request.request.wire.bytes);
    this.deadlines = new AnswerDeadlines(timeouts, this.#sentMs);
    this.bill = fastPath.openBill(request, () => isGivenUp({ aborted: this.isAborted, reason: this.#abortedBy }));
  }

  /** Time of the next check, on the clock's `elapsed` scale. */
  get dueMs(): number {
    return this.#stream?.dueMs ?? this.#bailoutMs;
  }

  /** The provider's connection, while data may still arrive on it. */
  get inFlight(): SentRequest | undefined {
    return this.#inFlight;
  }

  /** Whether the client has left or the request was aborted. */
  get isAborted(): boolean {
    return this.#isClientGone || this.#abortedBy !== undefined;
  }

  get #bailoutContext(): BailoutContext {
    assert(this.#bailout !== undefined, 'the bail-out context is used only before the first content');
    return this.#bailout;
  }

  send(): void {
    const { reply, hold } = this.#request;
    hold.whenLost((error) => this.abort(error));
    reply.onGone(this.#onClientGone);
    this.#deadlineIndex = this.#fastPath.parts.deadlines.add(this);
    this.#runningIndex = this.#fastPath.parts.running.add(this);
    try {
      this.#inFlight = this.#bailoutContext.readyCall.send(this);
    } catch (error) {
      this.#failure = error;
      this.#bailOut();
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
    if (head.status !== 200 || !isEventStream(head)) return this.#bailOut();
    const { exchange, served, model, dispatch, cappedAt } = this.#request;
    const encoding = {
      id: `chatcmpl-${exchange.id}`,
      created: Math.floor(served.startedAt / 1000),
      model: model.id,
      logprobs: false,
      usageSource: dispatch.candidate.route.upstream,
    };
    this.#splice = this.#bailoutContext.readyCall.splice(encoding, cappedAt);
  }

  data(bytes: Buffer): void {
    if (this.#successor) return this.#successor.data(bytes);
    if (!this.#splice || this.call.isOver) return;
    const { chunks } = this.#fastPath.parts;
    const cameMs = chunks?.came();
    try {
      this.#read(this.#splice, bytes);
      if (cameMs !== undefined) chunks?.left(cameMs);
    } catch (error) {
      this.#failed(error, (successor) => successor.data(bytes));
    }
  }

  end(): void {
    if (this.#successor) return this.#successor.end();
    try {
      // If the body ends before the first content, the slow path may still try another upstream.
      if (!this.#stream) this.#bailOutAndReplay((successor) => successor.end());
      else if (!this.call.isOver) this.#stream.finish();
    } catch (error) {
      this.#failed(error, (successor) => successor.end());
    }
    this.#onBodyEnd();
  }

  fail(fault: TransportFault): void {
    if (this.#successor) return this.#successor.fail(fault);
    if (!this.call.isOver) this.#failed(transportError(fault), (successor) => successor.fail(fault));
    this.#onBodyEnd();
  }

  /** Aborts the answer: on shutdown or revocation, or because its hold is lost. */
  abort(error: Error): void {
    this.#abortedBy ??= error;
    if (this.#stream) this.#stream.abort(error);
    else this.#bailOut();
  }

  /** Called by the deadline timer when `dueMs` has passed. */
  tick(nowMs: number): void {
    if (this.#stream) this.#stream.tick(nowMs);
    else this.#bailOut();
  }

  /** No further checks are needed. */
  unwatch(): void {
    this.#fastPath.parts.deadlines.remove(this, this.#deadlineIndex);
  }

  /** Closes the provider's connection without waiting for the rest of its response. */
  disconnect(): void {
    this.#inFlight?.destroy();
    this.#inFlight = undefined;
  }

  /** The request is charged and recorded, or the slow path owns it: it no longer counts as running. */
  unlist(): void {
    this.#fastPath.parts.running.remove(this, this.#runningIndex);
  }

  #read(splice: AnswerSplice, bytes: Buffer): void {
    const spliced = splice.push(bytes);
    const canBegin = !this.#hasBailedOut && hasVisibleContent(spliced.events, this.#request.model);
    if (!this.#stream && !canBegin) return this.#prefetchRead(splice, bytes, spliced.events.filter(isEvent));
    this.#stream ??= this.#begin(splice);
    this.#stream.pass(spliced);
  }

  /** The client has received nothing yet, so the slow path may still try another upstream. */
  #prefetchRead({ isDone, isHolding }: AnswerSplice, bytes: Buffer, events: readonly StreamEvent[]): void {
    this.#prefetch ??= new PrefetchBuffer();
    this.#prefetch.keep(bytes, events);
    if (events.length > 0) this.bill.receivedEarly(events);
    if (isDone || isHolding || this.#prefetch.isFull) this.#bailOut();
  }

  /** Called once, at the first content. */
  #begin(splice: AnswerSplice): FastPathStream {
    const nowMs = this.#fastPath.parts.clock.elapsed();
    this.call.begin(nowMs);
    this.bill.begin();
    if (this.#prefetch) this.bill.measure(this.#prefetch.events);
    this.#prefetch = undefined;
    this.deadlines.begin(nowMs);
    const stream = new FastPathStream(this.#fastPath, this.#request, this, splice);
    // Must be last: if anything above throws, the slow path can still take over.
    this.#bailout = undefined;
    this.#head = undefined;
    return stream;
  }

  readonly #onClientGone = (): void => {
    this.#isClientGone = true;
    if (this.#stream) this.#stream.clientGone();
    else this.#bailOut();
  };

  #failed(error: unknown, replay: (successor: ResponseHandler) => void): void {
    if (this.#stream) this.#stream.failed(this.#request.attributed(error));
    else this.#bailOutAndReplay(replay);
  }

  #bailOutAndReplay(replay: (successor: ResponseHandler) => void): void {
    this.#bailOut();
    if (this.#successor) replay(this.#successor);
  }

  /** The provider's response has ended; its connection may already serve another request. */
  #onBodyEnd(): void {
    this.#inFlight = undefined;
    if (this.#stream?.isClosed) this.unwatch();
  }

  /** Bails out: the slow path continues with everything received so far. */
  #bailOut(): void {
    if (this.#hasBailedOut) return;
    this.#hasBailedOut = true;
    this.unwatch();
    const { dispatch, model, request, hold } = this.#request;
    const { clientRequest, search, readyCall } = this.#bailoutContext;
    const sentMs = this.#sentMs;
    const answer = (signal: AbortSignal) => {
      const inFlight = this.#inFlight;
      if (!inFlight) return Promise.reject(this.#failure);
      const { handler, flow } = readyCall.adopt(inFlight, { signal, sentMs });
      this.#successor = handler;
      if (this.#head && !signal.aborted) handler.head(this.#head);
      this.#prefetch?.replay(handler);
      this.#prefetch = undefined;
      return flow;
    };
    const routed = { search, dispatch: { ...dispatch, earlyCall: { beganMs: sentMs, answer } } };
    this.#fastPath.bailOut(
      this.#request,
      clientRequest,
      { model, request, hold, bill: this.bill, routed },
      this.#abortedBy,
    );
    this.unlist();
  }
}

function isEvent(part: StreamEvent | SplicedText): part is StreamEvent {
  return part.type !== 'spliced-text';
}

/** Whether the client gets any of it. A refusal does not count if another model may answer instead. */
function hasVisibleContent(parts: SpliceResult['events'], model: Model): boolean {
  for (const each of parts) {
    if (!isEvent(each)) return true;
    if (isContent(each) && !(isRefusal(each) && fallsBackOn(model, 'refusal'))) return true;
  }
  return false;
}

function isEventStream(head: ResponseHead): boolean {
  return head.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';
}
