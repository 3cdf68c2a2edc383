import { assert } from '../core/assert.ts';
import type { Caller } from '../core/caller.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model } from '../core/model.ts';
import type { SplicedText } from '../core/spliced-text.ts';
import { isContent, type StreamEvent } from '../core/stream-event.ts';
import type { Spliced } from '../dialects/chat-completions/splice.ts';
import { type Bill, isGivenUp, type Receipt } from '../inference/bill.ts';
import { fallsBackOn } from '../inference/fallback-reason.ts';
import { inferred } from '../inference/inferred.ts';
import type { Endable } from '../inference/running-requests.ts';
import type { Attempt } from '../routing/attempt.ts';
import { isRefusal } from '../routing/refused-answer.ts';
import { promptTokensIn, requestCost, usedCost } from '../routing/request-cost.ts';
import { chatKeepAlive } from '../surfaces/chat-completions.ts';
import { isMistake } from '../surfaces/conversation.ts';
import type { ReplyEnd } from '../surfaces/reply-end.ts';
import type { ResponseHandler } from '../upstreams/http1/connection.ts';
import type { HttpFault } from '../upstreams/http1/http-fault.ts';
import type { SentRequest } from '../upstreams/http1/pool.ts';
import type { ResponseHead } from '../upstreams/http1/response-head.ts';
import { transportError } from '../upstreams/transport-error.ts';
import type { AnswerSplice } from '../upstreams/upstream.ts';
import { AnswerTiming } from './answer-timing.ts';
import type { AnsweringLane, LaneRequest } from './lane-request.ts';

/** More than any provider says before it says something. */
const earlyBytesMax = 64 * 1024;

/**
 * One answer in the lane, from the byte that was sent to the last one that is written. Until its first content whatever
 * happens is left to the general way; from then on it has three ends: complete, broken off, or with its client gone.
 */
export class LaneAnswer implements ResponseHandler, Endable {
  readonly caller: Caller;
  readonly isWaiting = false;
  readonly #lane: AnsweringLane;
  readonly #asked: LaneRequest;
  readonly #bill: Bill;
  readonly #timing: AnswerTiming;
  #phase: 'sent' | 'answering' | 'ending' | 'over' | 'handed-over' = 'sent';
  #sent: SentRequest | undefined;
  /** The general way's reader of the response, once it has taken over. */
  #successor: ResponseHandler | undefined;
  #head: ResponseHead | undefined;
  #splice: AnswerSplice | undefined;
  /** What came before the first content. */
  #early: { bytes: Buffer[]; events: StreamEvent[]; size: number } | undefined;
  #attempt: Attempt | undefined;
  /** What the client has not been sent yet. */
  #pending = '';
  #pieces = 0;
  /** The provider has said all there is to say, or is not listened to any more. */
  #isHeard = false;
  #isGone = false;
  #cutOffBy: Error | undefined;
  /** Why it could not even be sent. */
  #failure: unknown;
  /** Its places among those that are watched and those that run. */
  #watched = 0;
  #running = 0;

  constructor(lane: AnsweringLane, asked: LaneRequest) {
    this.#lane = lane;
    this.#asked = asked;
    this.caller = asked.caller;
    const { clock, settings } = lane.parts;
    this.#timing = new AnswerTiming(clock.elapsed(), asked.call.timeouts, settings().holdHeadersMs);
    this.#bill = lane.openBill(asked, () => isGivenUp({ aborted: this.#isGivenUp, reason: this.#cutOffBy }));
  }

  /** When it is to be looked at next, on the clock's `elapsed` scale. */
  get dueMs(): number {
    return this.#timing.dueMs;
  }

  /** From here on it is the provider's turn. */
  send(): void {
    const { reply, call, hold } = this.#asked;
    hold.whenLost((error) => this.cutOff(error));
    reply.onGone(this.#gone);
    reply.onDrain(this.#goOn);
    this.#watched = this.#lane.watch.add(this);
    this.#running = this.#lane.parts.running.add(this);
    try {
      this.#sent = call.send(this);
    } catch (error) {
      this.#failure = error;
      this.#handOver();
    }
  }

  sent(): void {
    this.#bill.sent();
  }

  head(head: ResponseHead): void {
    if (this.#successor) return this.#successor.head(head);
    this.#head = head;
    if (head.status !== 200 || !isEventStream(head)) return this.#handOver();
    const { exchange, served, model, dispatch, call } = this.#asked;
    const usageSource = dispatch.candidate.route.upstream;
    this.#splice = call.splice({
      id: `chatcmpl-${exchange.id}`,
      created: Math.floor(served.startedAt / 1000),
      model: model.id,
      logprobs: false,
      usageSource,
    });
  }

  data(bytes: Buffer): void {
    if (this.#successor) return this.#successor.data(bytes);
    if (!this.#splice || this.#isHeard) return;
    const { chunks } = this.#lane.parts;
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
      if (this.#phase === 'sent') this.#leave((successor) => successor.end());
      else if (this.#splice && !this.#isHeard) this.#finish(this.#splice);
    } catch (error) {
      this.#broke(error, (successor) => successor.end());
    }
    this.#bodyOver();
  }

  fail(fault: HttpFault): void {
    if (this.#successor) return this.#successor.fail(fault);
    if (!this.#isHeard) this.#broke(transportError(fault), (successor) => successor.fail(fault));
    this.#bodyOver();
  }

  /** By whoever may end requests, or because its money is gone. */
  cutOff(error: Error): void {
    this.#cutOffBy ??= error;
    if (this.#phase === 'sent') this.#handOver();
    else if (this.#phase === 'answering') this.#breakOff(error);
  }

  /** It is due to be looked at: nothing has come for a while, or nothing was said. */
  look(nowMs: number): void {
    if (this.#phase === 'sent') this.#handOver();
    else if (this.#phase === 'over') this.#letGo();
    if (this.#phase !== 'answering') return;
    const lateness = this.#timing.lateness(nowMs);
    if (lateness !== undefined) return this.#timedOut(lateness);
    // Proxies and clients give up connections on which nothing is said.
    if (!this.#timing.wantsWord(nowMs, this.#lane.parts.settings().keepAliveEveryMs)) return;
    try {
      this.#write(chatKeepAlive);
    } catch (error) {
      this.#breakOff(error);
    }
  }

  /** All that one read brought: what the client gets of it is written once. */
  #read(splice: AnswerSplice, bytes: Buffer): void {
    const spliced = splice.push(bytes);
    const { frames, heard } = spliced;
    if (this.#phase === 'sent' && !isSaid(heard, this.#asked.model))
      return this.#keepEarly(splice, bytes, heard.filter(isEvent));
    this.#hear(spliced);
    if (splice.isAlive) this.#timing.signOfLife(this.#lane.parts.clock.elapsed());
    if (splice.isDone) return this.#finish(splice);
    this.#pending = '';
    if (frames !== '') this.#write(frames);
  }

  #hear({ frames, heard }: Spliced): void {
    if (this.#phase === 'sent') this.#begin();
    this.#bill.tally.see(heard);
    for (const each of heard) this.#pieces += isEvent(each) ? 1 : each.pieces;
    this.#pending += frames;
  }

  get #isGivenUp(): boolean {
    return this.#isGone || this.#cutOffBy !== undefined;
  }

  /** Nothing of it has been seen by anyone: another upstream may still be asked. */
  #keepEarly({ isDone, isHolding }: AnswerSplice, bytes: Buffer, events: readonly StreamEvent[]): void {
    this.#early ??= { bytes: [], events: [], size: 0 };
    this.#early.bytes.push(Buffer.from(bytes));
    this.#early.events.push(...events);
    this.#early.size += bytes.length;
    if (events.length > 0) this.#bill.heardEarly(events);
    if (isDone || isHolding || this.#early.size > earlyBytesMax) this.#handOver();
  }

  /** The first content is here. */
  #begin(): void {
    const { clock, settings } = this.#lane.parts;
    const { candidate, place, sinceMs } = this.#asked.dispatch;
    const { route, credential } = candidate;
    const nowMs = clock.elapsed();
    const { sentMs } = this.#timing;
    const firstEventMs = nowMs - sentMs;
    this.#phase = 'answering';
    this.#attempt = {
      route,
      upstream: route.upstream,
      model: route.model,
      credential: credential.index,
      beganMs: sentMs,
      endedMs: nowMs,
      waitMs: sentMs - sinceMs,
      position: place.position,
      status: 200,
      firstEventMs,
      error: undefined,
    };
    credential.begun(route.model, firstEventMs);
    this.#bill.begin();
    if (this.#early) this.#bill.tally.see(this.#early.events);
    this.#early = undefined;
    this.#timing.begin(nowMs, settings().keepAliveEveryMs);
  }

  #write(frames: string): void {
    this.#timing.spoke();
    if (this.#asked.reply.write(frames)) return;
    this.#timing.pause();
    this.#sent?.pause();
  }

  /** The provider has said everything. The end waits until the charge is durable, and leaves with what came last. */
  #finish(splice: AnswerSplice): void {
    this.#hear(splice.end());
    this.#phase = 'ending';
    this.#providerDone(undefined);
    this.#bill
      .settle()
      .then((receipt) => this.#lane.turnstile.pass(() => this.#complete(splice, receipt)))
      .catch((error: unknown) => this.#breakOff(error))
      .catch((error: unknown) => this.#lane.parts.inference.onTrouble(error));
  }

  #complete(splice: AnswerSplice, receipt: Receipt | undefined): void {
    if (this.#phase !== 'ending') return;
    try {
      assert(receipt !== undefined, 'an answer that has begun has a receipt');
      this.#asked.reply.end(this.#pending + splice.done(receipt.usage));
      this.#close({ error: undefined, isClientGone: false, isCommitted: true });
    } catch (error) {
      this.#breakOff(error);
    }
  }

  /** Whoever waits for the place need not wait for the end of the answer. */
  #providerDone(error: unknown): void {
    this.#isHeard = true;
    const { dispatch, request } = this.#asked;
    const { credential, route } = dispatch.candidate;
    const { told } = this.#bill.tally;
    try {
      if (error !== undefined && !this.#isGivenUp) credential.brokeOff(error, route.model);
      else credential.completed(route.model);
    } finally {
      dispatch.place.leave(told ? usedCost(told) : requestCost(promptTokensIn(request.wire.bytes), this.#pieces));
    }
  }

  /** Whatever goes wrong with that, its client hears of the end and its record is kept. */
  #letProviderGo(error: unknown): void {
    try {
      if (!this.#isHeard) this.#providerDone(error);
    } catch (mistake) {
      this.#lane.parts.inference.onTrouble(mistake);
    }
    this.#sent?.destroy();
  }

  #broke(error: unknown, retell: (successor: ResponseHandler) => void): void {
    if (this.#phase !== 'sent') return this.#breakOff(this.#asked.call.attributed(error));
    this.#leave(retell);
  }

  #leave(retell: (successor: ResponseHandler) => void): void {
    this.#handOver();
    if (this.#successor) retell(this.#successor);
  }

  #timedOut(message: string): void {
    this.#broke(new GatewayError('upstream-timeout', { cause: new Error(message) }), () => {});
  }

  /** Its client is told that there is no more, and why. */
  #breakOff(error: unknown): void {
    if (this.#phase !== 'answering' && this.#phase !== 'ending') return;
    this.#letProviderGo(error);
    const { reply, exchange } = this.#asked;
    const isCommitted = reply.hasBegun || this.#pending !== '';
    try {
      if (isCommitted) reply.breakOff(this.#pending, this.#lane.errorFrame(error, exchange.id), error);
      else exchange.fail(error);
    } catch {
      reply.cut();
    }
    this.#close({ error, isClientGone: false, isCommitted });
  }

  readonly #gone = (): void => {
    this.#isGone = true;
    if (this.#phase === 'sent') return this.#handOver();
    if (this.#phase !== 'answering' && this.#phase !== 'ending') return;
    this.#letProviderGo(undefined);
    this.#close({ error: undefined, isClientGone: true, isCommitted: this.#asked.reply.hasBegun });
  };

  /** The reader has caught up. */
  readonly #goOn = (): void => {
    this.#timing.resume(this.#lane.parts.clock.elapsed());
    this.#sent?.resume();
  };

  /** The reply is over, whichever way; what is left is to write down how it went. */
  #close(end: ReplyEnd): void {
    const { reply, served } = this.#asked;
    this.#phase = 'over';
    this.#timing.drain(this.#lane.parts.clock.elapsed());
    if (this.#sent) this.#lane.watch.isDueAt(this.dueMs);
    else this.#lane.watch.remove(this, this.#watched);
    reply.close(end);
    const durationMs = served.elapsedMs;
    // The log of a request whose client left says that, and operators would not hear of a mistake of ours.
    if (end.isClientGone && isMistake(end.error)) this.#lane.parts.inference.onTrouble(end.error);
    this.#bill
      .settle()
      .then(
        (receipt) => this.#record({ ...end, durationMs }, receipt, undefined),
        (mistake: unknown) => this.#record({ ...end, durationMs }, undefined, mistake),
      )
      .catch((error: unknown) => this.#lane.parts.inference.onTrouble(error))
      .finally(() => this.#lane.parts.running.remove(this, this.#running));
  }

  #record(end: ReplyEnd & { readonly durationMs: number }, receipt: Receipt | undefined, mistake: unknown): void {
    const { model, served, exchange } = this.#asked;
    const attempts = this.#attempt ? [this.#attempt] : [];
    const { startedMs } = served;
    const learned = { model: model.id, attempts, vainWait: undefined, bill: this.#bill, receipt, mistake, startedMs };
    const isClientGone = end.isClientGone || exchange.isGone;
    this.#lane.parts.requests.write(served.recordWith(inferred(learned), { ...end, isClientGone }));
  }

  /** Nothing more comes of the connection, which may serve someone else by now. */
  #bodyOver(): void {
    this.#sent = undefined;
    if (this.#phase === 'over') this.#lane.watch.remove(this, this.#watched);
  }

  /** The provider has not closed its answer in time: the connection is not used again. */
  #letGo(): void {
    this.#sent?.destroy();
    this.#sent = undefined;
    this.#lane.watch.remove(this, this.#watched);
  }

  /** The general way goes on from here, and hears all that has come so far. */
  #handOver(): void {
    if (this.#phase !== 'sent') return;
    this.#phase = 'handed-over';
    this.#lane.watch.remove(this, this.#watched);
    const { search, dispatch, model, request, hold, call } = this.#asked;
    const { sentMs } = this.#timing;
    const answer = (signal: AbortSignal) => {
      if (!this.#sent) return Promise.reject(this.#failure);
      const { handler, flow } = call.adopt(this.#sent, { signal, sentMs });
      this.#successor = handler;
      if (this.#head && !signal.aborted) handler.head(this.#head);
      for (const bytes of this.#early?.bytes ?? []) handler.data(bytes);
      this.#early = undefined;
      return flow;
    };
    const made = { beganMs: sentMs, answer };
    const routed = { search, dispatch: { ...dispatch, made } };
    this.#lane.handOver(this.#asked, { model, request, hold, bill: this.#bill, routed }, this.#cutOffBy);
    this.#lane.parts.running.remove(this, this.#running);
  }
}

function isEvent(heard: StreamEvent | SplicedText): heard is StreamEvent {
  return heard.type !== 'spliced-text';
}

/** Whether a client sees anything of it: not of a refusal where another model may answer instead. */
function isSaid(heard: Spliced['heard'], model: Model): boolean {
  for (const each of heard) {
    if (!isEvent(each)) return true;
    if (isContent(each) && !(isRefusal(each) && fallsBackOn(model, 'refusal'))) return true;
  }
  return false;
}

function isEventStream(head: ResponseHead): boolean {
  return head.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';
}
