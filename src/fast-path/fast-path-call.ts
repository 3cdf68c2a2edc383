import type { Bill } from '../inference/bill.ts';
import type { Attempt } from '../routing/attempt.ts';
import { promptTokensIn, requestCost, usedCost } from '../routing/request-cost.ts';
import type { ResponseHandler } from '../upstreams/http1/provider-connection.ts';
import type { SentRequest } from '../upstreams/http1/pool.ts';
import type { ReadyCall } from '../upstreams/upstream.ts';
import type { FastPathRequest } from './fast-path-request.ts';

/**
 * The provider's side of an answer: its connection, its slot, and the result reported to the credential's health. The
 * slot is released once, however the answer ends.
 */
export class FastPathCall {
  readonly #request: FastPathRequest;
  #inFlight: SentRequest | undefined;
  #attempt: Attempt | undefined;
  #isProviderDone = false;

  constructor(request: FastPathRequest) {
    this.#request = request;
  }

  /** The connection, while data may still arrive on it. */
  get inFlight(): SentRequest | undefined {
    return this.#inFlight;
  }

  /** Set at the first content. */
  get attempt(): Attempt | undefined {
    return this.#attempt;
  }

  /** The provider has finished, or its further data is ignored. */
  get isProviderDone(): boolean {
    return this.#isProviderDone;
  }

  /** Throws if the call cannot be sent. */
  send(call: ReadyCall, handler: ResponseHandler): void {
    this.#inFlight = call.send(handler);
  }

  /** Called once, at the first content. */
  begin(sentMs: number, nowMs: number): void {
    const { candidate, slot, sinceMs, pauseMs, trace } = this.#request.dispatch;
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

  /** Releases the slot when the provider is done, so that queued requests need not wait for the end of the reply. */
  leave({ tally }: Bill, error: unknown): void {
    this.#isProviderDone = true;
    const { dispatch, request } = this.#request;
    const { credential, route } = dispatch.candidate;
    const { reported, pieces } = tally;
    try {
      if (error !== undefined) credential.streamFailed(error, route.model);
      else credential.completed(route.model);
    } finally {
      dispatch.slot.leave(reported ? usedCost(reported) : requestCost(promptTokensIn(request.wire.bytes), pieces));
    }
  }

  /** The response has ended; its connection may already serve another request. */
  release(): void {
    this.#inFlight = undefined;
  }

  /** Closes the connection without waiting for the rest of the response. */
  destroy(): void {
    this.#inFlight?.destroy();
    this.#inFlight = undefined;
  }
}
