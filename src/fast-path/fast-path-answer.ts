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
 * One answer in the fast path, from the byte that was sent on. It hears the provider (`head`, `data`, `end`, `fail`), the clock
 * (`look`), the client who leaves (`#gone`) and whoever may end it (`cutOff`). Until the first content whatever happens is
 * left to the slow path, which hears all that has come so far; what becomes of it from then on is its stream's matter.
 */
export class FastPathAnswer implements ResponseHandler, Endable {
  readonly caller: Caller;
  readonly isWaiting = false;
  readonly call: FastPathCall;
  readonly bill: Bill;
  readonly timing: AnswerTiming;
  readonly #fastPath: FastPathHost;
  readonly #asked: FastPathRequest;
  /** What a hand-over needs, this and the provider's head: both are let go of with the first content. */
  #way: BailoutContext | undefined;
  #head: ResponseHead | undefined;
  #splice: AnswerSplice | undefined;
  #early: PrefetchBuffer | undefined;
  /** What the client gets, from the first content on. */
  #stream: FastPathStream | undefined;
  #isHandedOver = false;
  /** The slow path's reader of the response, once it has taken over. */
  #successor: ResponseHandler | undefined;
  #isGone = false;
  #cutOffBy: Error | undefined;
  /** Why it could not even be sent. */
  #failure: unknown;
  /** Its places among those that are watched and those that run. */
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

  /** When it is to be looked at next, on the clock's `elapsed` scale. */
  get dueMs(): number {
    return this.timing.dueMs;
  }

  /** Whether nobody wants it any more. */
  get isUnwanted(): boolean {
    return this.#isGone || this.#cutOffBy !== undefined;
  }

  get #wayThere(): BailoutContext {
    assert(this.#way !== undefined, 'nobody else is asked once there is content');
    return this.#way;
  }

  /** From here on it is the provider's turn. */
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
    // A client that leaves while the provider still writes its reason owes nothing for the call.
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
      // What ends before anything was said may still be said by somebody else.
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

  /** By whoever may end requests, or because its money is gone. */
  cutOff(error: Error): void {
    this.#cutOffBy ??= error;
    if (this.#stream) this.#stream.cutOff(error);
    else this.#handOver();
  }

  /** It is due to be looked at: nothing has come for a while, or nothing was said. */
  look(nowMs: number): void {
    if (this.#stream) this.#stream.look(nowMs);
    else this.#handOver();
  }

  /** Nothing more can come of it that has to be waited for. */
  unwatch(): void {
    this.#fastPath.watch.remove(this, this.#watched);
  }

  /** It is charged and written down, or another's to end: it does not count as running any more. */
  unlist(): void {
    this.#fastPath.parts.running.remove(this, this.#running);
  }

  /** All that one read brought. */
  #read(splice: AnswerSplice, bytes: Buffer): void {
    const spliced = splice.push(bytes);
    const mayBegin = !this.#isHandedOver && isSaid(spliced.heard, this.#asked.model);
    if (!this.#stream && !mayBegin) return this.#keepEarly(splice, bytes, spliced.heard.filter(isEvent));
    this.#stream ??= this.#begun(splice);
    this.#stream.pass(spliced);
  }

  /** Nothing of it has been seen by anyone: another upstream may still be asked. */
  #keepEarly({ isDone, isHolding }: AnswerSplice, bytes: Buffer, events: readonly StreamEvent[]): void {
    this.#early ??= new PrefetchBuffer();
    this.#early.keep(bytes, events);
    if (events.length > 0) this.bill.heardEarly(events);
    if (isDone || isHolding || this.#early.isTooLong) this.#handOver();
  }

  /** The first content is here. */
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
    // Last: whatever goes wrong before is still the slow path's to mend.
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

  /** The provider's response is over; its connection may serve someone else by now. */
  #bodyEnded(): void {
    this.call.freed();
    if (this.#stream?.isClosed) this.unwatch();
  }

  /** The slow path goes on from here, and hears all that has come so far. */
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

/** Whether a client sees anything of it: not of a refusal where another model may answer instead. */
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
