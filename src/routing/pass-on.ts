import type { Model } from '../core/model.ts';
import type { PassThroughAnswer, PassThroughRequest, PassThroughStream } from '../core/pass-through-call.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { attemptAt, reportFailure, failureResult } from './attempt.ts';
import type { Dispatch } from './dispatch.ts';
import type { RoutedRequest } from './routed-request.ts';
import type { RouterParts } from './router-parts.ts';
import { awaitFirstContent } from './first-content.ts';
import { RunningAnswer } from './running-answer.ts';
import { FailoverLoop } from './failover-loop.ts';

interface PassOnRequest<Result> extends RoutedRequest {
  /**
   * Converts an answer to the result. Throws if the answer cannot be used; the failover loop then handles the error.
   */
  read(answer: PassThroughAnswer | PassThroughStream): Result;
}

/**
 * Routes a pass-through request: waits for a slot, calls the upstream, and fails over until one has returned a complete
 * answer that can be used, or the first bytes of a stream.
 */
export async function passOn<Result>(
  parts: RouterParts,
  model: Model,
  request: PassThroughRequest,
  routed: PassOnRequest<Result>,
): Promise<Result> {
  const search = new FailoverLoop(parts, model, routed.demand, () => undefined);
  search.follow(routed);
  try {
    for (let dispatch = await search.enter(); ; ) {
      const { result, error } = await passTo(dispatch, request, parts, routed);
      if (result) return result.value;
      dispatch = await search.failOver(dispatch, error);
    }
  } finally {
    search.releaseRetry();
  }
}

type PassOnOutcome<Result> =
  | { readonly result: { readonly value: Result }; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: unknown };

/**
 * One call of an upstream. The slot is released at the end of an answer; without an answer the caller still owns it.
 */
async function passTo<Result>(
  dispatch: Dispatch,
  request: PassThroughRequest,
  { clock }: RouterParts,
  routed: PassOnRequest<Result>,
): Promise<PassOnOutcome<Result>> {
  const { candidate, slot } = dispatch;
  const { route, upstream, credential } = candidate;
  const { signal, calls } = routed;
  const beganMs = clock.elapsed();
  const trace = routed.trace?.call();
  const started = attemptAt({ ...dispatch, trace }, beganMs);
  let value: Result;
  let isStream = false;
  try {
    const { pass } = upstream.adapter;
    if (!pass) throw unsupportedPath(route.upstream, request);
    const { model, embeddingsMax: inputsMax } = route;
    const callbacks = { sent: () => calls.sent(), refused: () => calls.undone() };
    const call = { model, inputsMax, request, credential: credential.index, trace, ...callbacks };
    const answer = await pass(call, signal);
    isStream = 'flow' in answer;
    value = routed.read('flow' in answer ? await running(answer, dispatch, request, signal) : answer);
  } catch (error) {
    reportFailure(candidate, error, routed);
    routed.attempted({ ...started, ...failureResult(error), endedMs: clock.elapsed() });
    return { error };
  }
  const endedMs = clock.elapsed();
  credential.begun(route.model, endedMs - beganMs);
  if (!isStream) {
    credential.completed(route.model);
    slot.leave();
  }
  routed.attempted({ ...started, endedMs, status: 200, firstEventMs: endedMs - beganMs, error: undefined });
  return { result: { value } };
}

/** A stream whose first bytes have arrived; from now on it owns the slot. */
async function running(
  { contentType, flow }: PassThroughStream,
  { candidate, slot }: Dispatch,
  { bytes }: PassThroughRequest,
  signal: AbortSignal,
): Promise<PassThroughStream> {
  const begun = await awaitFirstContent(flow);
  return { contentType, flow: new RunningAnswer(begun, { slot, candidate, signal, bytes }) };
}

function unsupportedPath(upstream: string, { path }: PassThroughRequest): GatewayError {
  const cause = new Error(`the wire format of upstream ${upstream} has no ${path}`);
  return new GatewayError('upstream-failed', { cause });
}
