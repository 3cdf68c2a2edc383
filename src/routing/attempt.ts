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

/** One call of an upstream on the way to an answer: where, how long it took, what came of it. */
export interface Attempt {
  readonly route: ModelRoute;
  readonly upstream: string;
  /** The model's name there. */
  readonly model: string;
  /** Which of the upstream's credentials, counted from 0. */
  readonly credential: number;
  /** When it was sent and when it was decided, on the clock that measures elapsed time. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** How long the request waited for its turn, and behind how many. */
  readonly waitMs: number;
  readonly position: number;
  /** How long it paused after the failure before, in no queue. */
  readonly pauseMs: number;
  /** The status the provider refused with; 200 when it answered, `undefined` when there was none. */
  readonly status: number | undefined;
  /** From sending to the first content; `undefined` when there was none. */
  readonly firstEventMs: number | undefined;
  readonly error: unknown;
  /** Its trace, if it is traced. */
  readonly trace?: CallTrace | undefined;
}

type AttemptOutcome =
  | { readonly flow: EventFlow; readonly error?: undefined }
  | { readonly flow?: undefined; readonly error: unknown };

/** What a call needs to know of the request that it is made for. */
interface TriedRequest {
  readonly signal: AbortSignal;
  readonly trace?: RequestTrace | undefined;
  readonly calls: CallListener;
  attempted(attempt: Attempt): void;
}

/** Calls an upstream and waits for the first content. The slot is kept: by the answer, or by the caller if there is none. */
export async function tryAt(
  { made, ...dispatch }: Dispatch,
  call: Omit<UpstreamCall, 'model' | 'credential' | 'trace'>,
  clock: Clock,
  routed: TriedRequest,
): Promise<AttemptOutcome> {
  const { candidate, slot } = dispatch;
  const { route, upstream, credential } = candidate;
  const beganMs = made?.beganMs ?? clock.elapsed();
  const trace = dispatch.trace ?? routed.trace?.call();
  const about = attemptAt({ ...dispatch, trace }, beganMs);
  const { calls, signal } = routed;
  // Who has left already was not asked for: an upstream that does not tell when it sends is believed to send at once.
  if (!made && !upstream.adapter.tellsSent && !signal.aborted) calls.sent();
  try {
    const tells = { sent: () => calls.sent(), refused: () => calls.undone() };
    const asked = { ...call, trace, model: route.model, credential: credential.index, ...tells };
    const accepted = await (made ? made.answer(signal) : upstream.adapter.open(asked, signal));
    const flow = await awaitFirstContent(accepted, (events) => calls.heardEarly(events));
    const endedMs = clock.elapsed();
    const firstEventMs = endedMs - beganMs;
    credential.begun(route.model, firstEventMs);
    routed.attempted({ ...about, endedMs, status: 200, firstEventMs, error: undefined });
    const { bytes } = call.request.wire;
    return { flow: new RunningAnswer(flow, { slot, candidate, signal, bytes }) };
  } catch (error) {
    cameToNothing(candidate, error, routed);
    routed.attempted({ ...about, ...nothingCame(error), endedMs: clock.elapsed() });
    return { error };
  }
}

type StartedAttempt = Omit<Attempt, 'endedMs' | 'status' | 'firstEventMs' | 'error'>;

/** What is known of a call when it is made. */
export function attemptAt({ candidate, slot, sinceMs, pauseMs, trace }: Dispatch, beganMs: number): StartedAttempt {
  const { route, credential } = candidate;
  const names = { route, upstream: route.upstream, model: route.model, credential: credential.index };
  return { ...names, beganMs, waitMs: beganMs - sinceMs - pauseMs, position: slot.position, pauseMs, trace };
}

/** What an attempt says of a call without an answer. */
export function nothingCame(error: unknown): Pick<Attempt, 'status' | 'firstEventMs' | 'error'> {
  return { status: refusalStatusOf(error), firstEventMs: undefined, error };
}

/** A call came to nothing: its credential hears of it, unless its client was the reason, and what was refused cost nothing. */
export function cameToNothing(
  { credential, route }: Dispatch['candidate'],
  error: unknown,
  { signal, calls }: { readonly signal: AbortSignal; readonly calls: CallListener },
): void {
  if (signal.aborted) credential.untold(route.model);
  else credential.failed(error, route.model);
  if (!signal.aborted || refusalStatusOf(error) !== undefined) calls.undone();
}
