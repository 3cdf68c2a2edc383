import { assert } from 'chat-formats/assert.ts';
import type { SplicedText } from 'chat-formats/json/spliced-text.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Attempt } from './attempt.ts';
import type { Dispatch } from './dispatch.ts';
import { refusalStatusOf } from '../error-class.ts';
import { promptTokensIn, requestCost, usedCost } from '../queue/request-cost.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { UpstreamCall } from '../../upstreams/upstream.ts';
import type { RoutedRequest } from '../routed-request.ts';

/**
 * One call to a provider: its slot, the result reported to its credential, and its attempt. It ends once. A call whose
 * answer has begun releases the slot at its end. Without an answer the failover loop still owns the slot.
 */
export class ProviderCall {
  readonly #dispatch: Dispatch;
  readonly #sentMs: number;
  /** Size of the prompt; undefined if tokens do not measure the call, so that its estimated cost stands. */
  readonly #promptBytes: number | undefined;
  #state: 'sent' | 'begun' | 'over' = 'sent';
  #attempt: Attempt | undefined;
  #reportedCost: number | undefined;
  #pieces = 0;

  constructor(dispatch: Dispatch, sentMs: number, promptBytes?: number) {
    this.#dispatch = dispatch;
    this.#sentMs = sentMs;
    this.#promptBytes = promptBytes;
  }

  /** Whether the provider has ended, or the rest of its answer is ignored. */
  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Set when the call has an answer or has failed. */
  get attempt(): Attempt | undefined {
    return this.#attempt;
  }

  begin(nowMs: number): Attempt {
    assert(this.#state === 'sent', 'a call begins once');
    this.#state = 'begun';
    const { credential, route } = this.#dispatch.candidate;
    const firstEventMs = nowMs - this.#sentMs;
    credential.begun(route.model, firstEventMs);
    return this.#record({ endedMs: nowMs, status: 200, firstEventMs, error: undefined });
  }

  /** The call has no answer. A failure that the client caused says nothing about the provider. */
  fail(error: unknown, nowMs: number, isAborted: boolean): Attempt {
    assert(this.#state !== 'over', 'a call fails once');
    this.#state = 'over';
    const { credential, route } = this.#dispatch.candidate;
    if (isAborted) credential.noEvidence(route.model);
    else credential.failed(error, route.model);
    return this.#record({ endedMs: nowMs, status: refusalStatusOf(error), firstEventMs: undefined, error });
  }

  /** Measures the answer for the fair queue. */
  measure(batch: readonly (StreamEvent | SplicedText)[]): void {
    for (const event of batch) {
      if (event.type === 'usage') this.#reportedCost = usedCost(event.usage);
      else if (event.type === 'spliced-text') this.#pieces += event.pieces;
      else if (event.type !== 'usage-so-far' && event.type !== 'anomaly') this.#pieces += 1;
    }
  }

  /** The answer is over: reports it to the credential, and releases the slot so that the next request gets it. */
  end(error?: unknown): void {
    assert(this.#state === 'begun', 'an answer ends once');
    this.#state = 'over';
    const { candidate, slot } = this.#dispatch;
    const { credential, route } = candidate;
    try {
      if (error === undefined) credential.completed(route.model);
      else credential.streamFailed(error, route.model);
    } finally {
      slot.release(this.#cost());
    }
  }

  #cost(): number | undefined {
    if (this.#promptBytes === undefined) return undefined;
    return this.#reportedCost ?? requestCost(promptTokensIn(this.#promptBytes), this.#pieces);
  }

  #record({ endedMs, status, firstEventMs, error }: AttemptResult): Attempt {
    const { candidate, slot, sinceMs, pauseMs, trace } = this.#dispatch;
    const { route, credential } = candidate;
    this.#attempt = {
      route,
      upstream: route.upstream,
      model: route.model,
      credential: credential.index,
      beganMs: this.#sentMs,
      endedMs,
      waitMs: this.#sentMs - sinceMs - pauseMs,
      position: slot.position,
      pauseMs,
      status,
      firstEventMs,
      error,
      trace,
    };
    return this.#attempt;
  }
}

type AttemptResult = Pick<Attempt, 'endedMs' | 'status' | 'firstEventMs' | 'error'>;

/** The part of a call that does not depend on its endpoint. */
type CallTarget = Required<Pick<UpstreamCall, 'model' | 'credential' | 'sent' | 'refused'>> &
  Pick<UpstreamCall, 'trace'>;

interface Sending<Answer> {
  /** Size of the prompt; left out if tokens do not measure the call. */
  readonly promptBytes?: number;
  /** Resolves at the first content of the answer. */
  send(target: CallTarget): Promise<Answer>;
}

type CallOutcome<Answer> =
  | { readonly answer: Answer; readonly call: ProviderCall; readonly error?: undefined }
  | { readonly call?: undefined; readonly error: unknown };

/** Calls the provider of a dispatch. The answer must end `call`; without an answer the caller owns the slot. */
export async function callProvider<Answer>(
  dispatch: Dispatch,
  clock: Clock,
  request: Pick<RoutedRequest, 'signal' | 'trace' | 'calls' | 'attempted' | 'willCall'>,
  sending: Sending<Answer>,
): Promise<CallOutcome<Answer>> {
  const { signal, calls } = request;
  const { route, credential } = dispatch.candidate;
  request.willCall?.();
  const trace = dispatch.trace ?? request.trace?.call();
  const call = new ProviderCall(
    { ...dispatch, trace },
    dispatch.earlyCall?.beganMs ?? clock.elapsed(),
    sending.promptBytes,
  );
  const callbacks = { sent: () => calls.sent(), refused: () => calls.undone() };
  try {
    const answer = await sending.send({ model: route.model, credential: credential.index, trace, ...callbacks });
    request.attempted(call.begin(clock.elapsed()));
    return { answer, call };
  } catch (error) {
    request.attempted(call.fail(error, clock.elapsed(), signal.aborted));
    // A refused call costs nothing, also if its client has left.
    if (!signal.aborted || refusalStatusOf(error) !== undefined) calls.undone();
    return { error };
  }
}
