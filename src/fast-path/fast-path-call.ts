import type { Bill } from '../inference/bill.ts';
import type { Attempt } from '../routing/attempt.ts';
import { promptTokensIn, requestCost, usedCost } from '../routing/request-cost.ts';
import type { ResponseHandler } from '../upstreams/http1/provider-connection.ts';
import type { SentRequest } from '../upstreams/http1/pool.ts';
import type { ReadyCall } from '../upstreams/upstream.ts';
import type { FastPathRequest } from './fast-path-request.ts';

/**
 * The provider's side of an answer: the connection it comes on, the slot it takes up, and what is learned of the
 * credential. The slot is left once, however the answer ends.
 */
export class FastPathCall {
  readonly #asked: FastPathRequest;
  #inFlight: SentRequest | undefined;
  #attempt: Attempt | undefined;
  #isHeard = false;

  constructor(asked: FastPathRequest) {
    this.#asked = asked;
  }

  /** The connection, for as long as something may come on it. */
  get inFlight(): SentRequest | undefined {
    return this.#inFlight;
  }

  /** How it went there, once there is something to tell. */
  get attempt(): Attempt | undefined {
    return this.#attempt;
  }

  /** The provider has said all there is to say, or is not listened to any more. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Throws where it cannot even be sent. */
  send(call: ReadyCall, handler: ResponseHandler): void {
    this.#inFlight = call.send(handler);
  }

  /** The first content is here. */
  begin(sentMs: number, nowMs: number): void {
    const { candidate, slot, sinceMs, pauseMs, trace } = this.#asked.dispatch;
    const { route, credential } = candidate;
    const firstEventMs = nowMs - sentMs;
    this.#attempt = {
      route,
      upstream: route.upstream,
      model: route.model,
      credential: credential.index,
      beganMs: sentMs,
      endedMs: nowMs,
      waitMs: sentMs - sinceMs - pauseMs,
      position: slot.position,
      pauseMs,
      status: 200,
      firstEventMs,
      error: undefined,
      trace,
    };
    credential.begun(route.model, firstEventMs);
  }

  /** Whoever waits for the slot need not wait for the end of the answer. */
  leave({ tally }: Bill, brokenBy: unknown): void {
    this.#isHeard = true;
    const { dispatch, request } = this.#asked;
    const { credential, route } = dispatch.candidate;
    const { told, pieces } = tally;
    try {
      if (brokenBy !== undefined) credential.brokeOff(brokenBy, route.model);
      else credential.completed(route.model);
    } finally {
      dispatch.slot.leave(told ? usedCost(told) : requestCost(promptTokensIn(request.wire.bytes), pieces));
    }
  }

  /** Nothing more comes of the connection, which may serve someone else by now. */
  freed(): void {
    this.#inFlight = undefined;
  }

  /** What may still come is not waited for: the connection is not used again. */
  destroy(): void {
    this.#inFlight?.destroy();
    this.#inFlight = undefined;
  }
}
