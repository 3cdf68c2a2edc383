import type { Clock } from '../core/clock.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { ModelRoute } from '../core/model.ts';
import type { UpstreamCall } from '../upstreams/upstream.ts';
import type { CallTrace, RequestTrace } from '../core/request-trace.ts';
import type { CallListener } from './call-listener.ts';
import { awaitFirstContent } from './first-content.ts';
import type { Dispatch } from './dispatch.ts';
import { RunningAnswer } from './running-answer.ts';
import { refusalStatusOf } from './error-class.ts';

/** One call of an upstream: where it went, how long it took, and its result. */
export interface Attempt {
  readonly route: ModelRoute;
  readonly upstream: string;
  /** The model's name at the upstream. */
  readonly model: string;
  /** Index of the upstream's credential, from 0. */
  readonly credential: number;
  /** When the call was sent, and when it succeeded or failed, on `clock.elapsed()`. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** How long the request waited for its slot, and how many requests were ahead of it. */
  readonly waitMs: number;
  readonly position: number;
  /** How long the request paused after the previous failure, outside any queue. */
  readonly pauseMs: number;
  /** The status of the provider's refusal; 200 if it answered, `undefined` if there was no status. */
  readonly status: number | undefined;
  /** Time from sending to the first content; `undefined` if there was none. */
  readonly firstEventMs: number | undefined;
  readonly error: unknown;
  /** Set if the request is traced. */
  readonly trace?: CallTrace | undefined;
}

type AttemptOutcome =
  | { readonly flow: EventFlow; readonly error?: undefined }
  | { readonly flow?: undefined; readonly error: unknown };

/** The part of a request that a call uses. */
interface AttemptRequest {
  readonly signal: AbortSignal;
  readonly trace?: RequestTrace | undefined;
  readonly calls: CallListener;
  attempted(attempt: Attempt): void;
}

/**
 * Calls an upstream and waits for the first content. The answer owns the slot from then on; without an answer the
 * caller does.
 */
export async function callUpstream(
  { earlyCall, ...dispatch }: Dispatch,
  call: Omit<UpstreamCall, 'model' | 'credential' | 'trace'>,
  clock: Clock,
  routed: AttemptRequest,
): Promise<AttemptOutcome> {
  const { candidate, slot } = dispatch;
  const { route, upstream, credential } = candidate;
  const beganMs = earlyCall?.beganMs ?? clock.elapsed();
  const trace = dispatch.trace ?? routed.trace?.call();
  const started = attemptAt({ ...dispatch, trace }, beganMs);
  const { calls, signal } = routed;
  // If the client has left, nothing is sent. An adapter without `reportsSent` is assumed to send at once.
  if (!earlyCall && !upstream.adapter.reportsSent && !signal.aborted) calls.sent();
  try {
    const callbacks = { sent: () => calls.sent(), refused: () => calls.undone() };
    const outgoing = { ...call, trace, model: route.model, credential: credential.index, ...callbacks };
    const accepted = await (earlyCall ? earlyCall.answer(signal) : upstream.adapter.open(outgoing, signal));
    const flow = await awaitFirstContent(accepted, (events) => calls.receivedEarly(events));
    const endedMs = clock.elapsed();
    const firstEventMs = endedMs - beganMs;
    credential.begun(route.model, firstEventMs);
    routed.attempted({ ...started, endedMs, status: 200, firstEventMs, error: undefined });
    const { bytes } = call.request.wire;
    return { flow: new RunningAnswer(flow, { slot, candidate, signal, bytes }) };
  } catch (error) {
    reportFailure(candidate, error, routed);
    routed.attempted({ ...started, ...failureResult(error), endedMs: clock.elapsed() });
    return { error };
  }
}

type StartedAttempt = Omit<Attempt, 'endedMs' | 'status' | 'firstEventMs' | 'error'>;

/** The part of an attempt that is known when the call is made. */
export function attemptAt({ candidate, slot, sinceMs, pauseMs, trace }: Dispatch, beganMs: number): StartedAttempt {
  const { route, credential } = candidate;
  const names = { route, upstream: route.upstream, model: route.model, credential: credential.index };
  return { ...names, beganMs, waitMs: beganMs - sinceMs - pauseMs, position: slot.position, pauseMs, trace };
}

/** The result of a call without an answer. */
export function failureResult(error: unknown): Pick<Attempt, 'status' | 'firstEventMs' | 'error'> {
  return { status: refusalStatusOf(error), firstEventMs: undefined, error };
}

/** Reports a failed call to its credential, unless the client caused the failure. A refused call costs nothing. */
export function reportFailure(
  { credential, route }: Dispatch['candidate'],
  error: unknown,
  { signal, calls }: { readonly signal: AbortSignal; readonly calls: CallListener },
): void {
  if (signal.aborted) credential.noEvidence(route.model);
  else credential.failed(error, route.model);
  if (!signal.aborted || refusalStatusOf(error) !== undefined) calls.undone();
}
